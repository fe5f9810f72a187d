import { leaseCodec, leaseKey, mapKey, ownerAddress, ownerRequestCodec } from "@orthant/cluster/internal";
import { encode } from "@orthant/core/bytes";
import { EPOCH_MAX } from "@orthant/core/tree";
import type { Prng } from "@orthant/testkit";
import { type DeniedWrites, hostileRequest, type MemoryHub } from "@orthant/testkit/cluster";
import { type SimNode, WORLD } from "./sim-node.ts";

/** The targets of faults of trust. */
export interface TrustTargets {
  readonly prng: Prng;
  readonly hub: MemoryHub;
  readonly nodes: readonly SimNode[];
  /** A second process with the name of one of the nodes. */
  readonly twin: SimNode;
  /** Calls the function after a time, or when all faults are healed. */
  readonly during: (ms: number, end: () => void) => void;
  readonly shards: () => readonly string[];
  /** Called when the map in the table is overwritten. */
  readonly onMapLost: () => void;
}

/** Bytes that no node writes. */
const JUNK: readonly Uint8Array[] = [new Uint8Array(0), Uint8Array.of(1), new TextEncoder().encode("{}")];
/** A fill of more regions than an owner can list. */
const HUGE_FILL = encode(ownerRequestCodec, {
  kind: "edits",
  edits: [
    {
      ...{ clientId: 99n, editId: 1, isRepeat: false },
      edit: { kind: "fill", box: { min: [-1e8, -1e8, -1e8, 0], max: [-1, -1, -1, 1] }, block: 3 },
    },
  ],
});
/** Time for which such a request waits for its answer. */
const OVERREACH_MS = 3_000;
/** Part of the cases in which such a fault is there to stay, because an operator has to remove it. */
const LASTING_CHANCE = 0.3;

/** Names that are given twice, permissions that are lost, and writes of processes that are not nodes. */
export class TrustFaults {
  readonly #targets: TrustTargets;
  #isDecided = false;
  /** True if the second process goes on trying to start. */
  hasTwin = false;

  constructor(targets: TrustTargets) {
    this.#targets = targets;
  }

  /** Starts a second process with the name of a node. */
  duplicate(): boolean {
    const { prng, twin, during } = this.#targets;
    twin.start();
    during(prng.between(500, 9_000), () => twin.crash());
    return true;
  }

  /** Takes a permission from a node. */
  losePermission(): boolean {
    const { prng, nodes, during } = this.#targets;
    const node = prng.pick(nodes);
    node.denied = this.#anyWrites();
    during(prng.between(500, 9_000), () => {
      node.denied = "none";
    });
    return true;
  }

  /** Writes what no node writes to a journal or to the table. */
  forge(): boolean {
    const { prng, hub, shards } = this.#targets;
    const shard = prng.pick([...shards(), "0"]);
    const junk = prng.pick(JUNK);
    const lease = encode(leaseCodec, { node: "evil", term: EPOCH_MAX, successor: "" });
    const act = prng.pick([
      () => forgeRecord(hub, shard, junk),
      () => forgeRecord(hub, shard, junk),
      () => hub.table.put(leaseKey(WORLD, shard), prng.pick([junk, lease])),
      () => {
        hub.table.put(mapKey(WORLD), junk);
        this.#targets.onMapLost();
      },
    ]);
    act();
    hub.announce();
    return true;
  }

  /** Sends an owner a request that no gateway sends, with the rights of one. Rule K71. */
  overreach(): boolean {
    const { prng, hub, shards, nodes } = this.#targets;
    const shard = prng.pick([...shards(), "0"]);
    const term = nodes.map(({ node }) => node?.shards.get(shard)?.term).find((known) => known !== undefined);
    if (term === undefined) return false;
    const backbone = hub.connect();
    // The oracle knows every edit, so this one must be refused.
    const request = prng.chance(0.5) ? HUGE_FILL : hostileRequest(prng, prng.pick(["regions", "entities"]));
    const close = (): Promise<void> => backbone.close();
    backbone.request(ownerAddress(WORLD, shard, term), request, OVERREACH_MS).then(close, close);
    return true;
  }

  /** Lets a fault stay when all others are healed. At least two nodes can own everything. */
  makeLasting(): void {
    const { prng, nodes, twin } = this.#targets;
    if (!this.#isDecided && prng.chance(LASTING_CHANCE)) {
      if (prng.chance(0.5)) prng.pick(nodes).denied = this.#anyWrites();
      else this.hasTwin = true;
    }
    this.#isDecided = true;
    if (this.hasTwin) twin.start();
  }

  #anyWrites(): DeniedWrites {
    return this.#targets.prng.pick(["table", "journal"]);
  }
}

function forgeRecord(hub: MemoryHub, shard: string, bytes: Uint8Array): void {
  const journal = hub.journal(WORLD, shard);
  journal?.append([{ subject: { kind: "control" }, bytes }], journal.state.last);
}
