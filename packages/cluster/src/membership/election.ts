import { getOrAdd } from "@orthant/core/lattice";
import type { Lease } from "../shard/cluster-directory.ts";
import { crc32c } from "../shard/shard-record.ts";
import type { Heartbeats } from "./heartbeats.ts";

/** Heartbeats to back off after failing to claim a shard. */
const BACKOFF_HEARTBEATS = 20;
/** Heartbeats a non-preferred node waits before it claims a vacant shard. */
const NON_PREFERRED_DELAY_HEARTBEATS = 2;

/** Decides which shards a node should claim. */
export class Election {
  readonly #node: string;
  readonly #heartbeats: Heartbeats;
  /** Heartbeats left to back off from a shard, and heartbeats for which a shard has been vacant. */
  readonly #backoff = new Map<string, number>();
  readonly #vacant = new Map<string, number>();

  constructor(node: string, heartbeats: Heartbeats) {
    this.#node = node;
    this.#heartbeats = heartbeats;
  }

  /** Counts one heartbeat of this node. */
  heartbeatAccepted(): void {
    for (const [shard, left] of this.#backoff) {
      if (left > 1) this.#backoff.set(shard, left - 1);
      else this.#backoff.delete(shard);
    }
    for (const [shard, heartbeats] of this.#vacant) this.#vacant.set(shard, heartbeats + 1);
  }

  /** Leaves a shard to other nodes for a while. */
  backOff(shard: string): void {
    this.#backoff.set(shard, BACKOFF_HEARTBEATS);
  }

  /** Called when this node has claimed a shard. */
  claimed(shard: string): void {
    this.#vacant.delete(shard);
  }

  /** Returns true if this node should claim a shard with this lease now. */
  shouldClaim(shard: string, { node, successor }: Pick<Lease, "node" | "successor">): boolean {
    // A named successor claims the shard even if it released it a moment ago.
    if (this.#backoff.has(shard) && successor !== this.#node) return false;
    if (node === this.#node || (node === "" && successor === this.#node)) return true;
    if (node !== "" && !this.#heartbeats.isDead(node)) {
      this.#vacant.delete(shard);
      return false;
    }
    const vacant = getOrAdd(this.#vacant, shard, () => 0);
    const isReserved = successor !== "" && !this.#heartbeats.isDead(successor);
    return (!isReserved && this.#isPreferred(shard)) || vacant >= NON_PREFERRED_DELAY_HEARTBEATS;
  }

  /** Returns the other node with the fewest shards; empty if there is none. */
  leastLoaded(): string {
    const [first, ...rest] = this.#heartbeats.others();
    if (first === undefined) return "";
    return rest.reduce((least, other) => (other.shards < least.shards ? other : least), first).node;
  }

  /** True if this node has the fewest shards; a hash of shard and node name breaks ties. */
  #isPreferred(shard: string): boolean {
    const own = this.#heartbeats.ownShards;
    return this.#heartbeats.others().every(({ node, shards }) => {
      if (shards !== own) return own < shards;
      return preference(shard, this.#node) > preference(shard, node);
    });
  }
}

function preference(shard: string, node: string): number {
  return crc32c(new TextEncoder().encode(`${shard}/${node}`));
}
