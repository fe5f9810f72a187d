import { getOrAdd } from "@orthant/core/lattice";
import type { Backbone } from "../backbone/backbone.ts";
import type { SharedShardMap } from "../folder/shared-shard-map.ts";
import { leaseKey } from "../shard/names.ts";
import { shardsOf } from "../shard/shard-map.ts";
import type { Leases } from "./leases.ts";

/** Dependencies of the checks of a table. */
interface TableCheckOptions {
  readonly backbone: Backbone;
  readonly world: string;
  readonly leases: Leases;
  readonly maps: SharedShardMap;
  /** Returns the terms of the shards that this node owns. */
  readonly owned: () => ReadonlyMap<string, number>;
}

/** Heartbeats between checks that the table still has the map and this node's leases. */
const RESTORE_INTERVAL_HEARTBEATS = 10;
/** Heartbeats after which a lease that the table lacks counts no more. Its owner has had two chances to write it again. */
const FORGET_HEARTBEATS = 2 * RESTORE_INTERVAL_HEARTBEATS;

/** Finds out what the table has lost: writes again what this node knows for sure, and forgets what no node wrote again. */
export class TableCheck {
  readonly #options: TableCheckOptions;
  #heartbeats = 0;
  /** The heartbeat at which the table was first found to lack the lease of a shard. */
  readonly #missing = new Map<string, number>();

  constructor(options: TableCheckOptions) {
    this.#options = options;
  }

  /** Counts one heartbeat of this node, and checks what is due. */
  heartbeatAccepted(): void {
    if (++this.#heartbeats % RESTORE_INTERVAL_HEARTBEATS === 0) this.#restore();
    this.#checkNextLease();
  }

  /** Restores the map and this node's own leases. */
  #restore(): void {
    const { maps, leases, owned } = this.#options;
    const checks = [maps.restore(), ...Array.from(owned(), ([shard, term]) => leases.restore(shard, term))];
    // The next check tries again.
    for (const check of checks) check.catch(() => undefined);
  }

  /**
   * Checks the lease of one shard, a different one each time. A lost table may have had leases that only some nodes knew:
   * each of them would leave the shard to another one forever. Rule K69.
   */
  #checkNextLease(): void {
    const { maps, owned } = this.#options;
    const { directory } = maps;
    const shards = shardsOf(directory.map);
    const shard = shards[this.#heartbeats % shards.length];
    if (shard === undefined || directory.leaseOf(shard) === undefined || owned().has(shard)) return;
    // The next check tries again.
    this.#checkLease(shard).catch(() => undefined);
  }

  async #checkLease(shard: string): Promise<void> {
    const { backbone, world, maps } = this.#options;
    const { directory } = maps;
    const heartbeat = this.#heartbeats;
    const known = directory.leaseOf(shard);
    const entry = await backbone.table.get(leaseKey(world, shard));
    if (entry?.value !== undefined || directory.leaseOf(shard) !== known) {
      this.#missing.delete(shard);
      return;
    }
    const since = getOrAdd(this.#missing, shard, () => heartbeat);
    if (heartbeat - since < FORGET_HEARTBEATS) return;
    this.#missing.delete(shard);
    directory.forgetLease(shard);
  }
}
