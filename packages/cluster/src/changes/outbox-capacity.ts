import type { Position } from "@orthant/core";
import { getOrAdd } from "@orthant/core/lattice";
import type { BorderEdit } from "@orthant/world/engine";
import type { TransferOutbox } from "../journal/transfer-outbox.ts";
import { borderEditBytes, type EditTransfer, STEP_TRANSFERS_MAX } from "../shard/border-edits.ts";
import { nameOfPosition } from "../shard/sectors.ts";

interface Used {
  transfers: number;
  bytes: number;
}

/** Transfers of edits, and bytes of them, that may wait for one shard. */
const SHARD_TRANSFERS_MAX = 1_024;
const SHARD_BYTES_MAX = 1_048_576;
/** Bytes of edits that a step may send, and regions to which it sends them. Each may need more than one transfer. */
const STEP_BYTES_MAX = 262_144;
const STEP_REGIONS_MAX: number = STEP_TRANSFERS_MAX / 2;

/**
 * Limits the edits that a step sends to other shards. A shard that takes none uses up only its own part, and then edits of it
 * are refused; steps go on. Rule K66.
 */
export class OutboxCapacity {
  readonly #outbox: TransferOutbox<EditTransfer>;
  readonly #shardOf: (region: Position) => string;
  /** What waits for each shard; counted when it is first needed in a step. */
  #waiting: Map<string, Used> | undefined;
  #regions = new Map<string, string>();
  #bytes = 0;

  constructor(outbox: TransferOutbox<EditTransfer>, shardOf: (region: Position) => string) {
    this.#outbox = outbox;
    this.#shardOf = shardOf;
  }

  /** Begins a step. */
  begin(): void {
    this.#waiting = undefined;
    this.#regions = new Map();
    this.#bytes = 0;
  }

  /** Counts an edit. Returns false, and counts nothing, if it exceeds a limit. */
  take(region: Position, edit: BorderEdit): boolean {
    const bytes = borderEditBytes(edit);
    if (this.#bytes + bytes > STEP_BYTES_MAX) return false;
    const name = nameOfPosition(region);
    const known = this.#regions.get(name);
    if (known === undefined && this.#regions.size >= STEP_REGIONS_MAX) return false;
    const shard = known ?? this.#shardOf(region);
    const used = this.#usedBy(shard);
    const added = known === undefined ? 1 : 0;
    if (used.transfers + added > SHARD_TRANSFERS_MAX || used.bytes + bytes > SHARD_BYTES_MAX) return false;
    this.#regions.set(name, shard);
    used.transfers += added;
    used.bytes += bytes;
    this.#bytes += bytes;
    return true;
  }

  #usedBy(shard: string): Used {
    this.#waiting ??= this.#count();
    const used = getOrAdd(this.#waiting, shard, () => ({ transfers: 0, bytes: 0 }));
    return used;
  }

  #count(): Map<string, Used> {
    const byShard = new Map<string, Used>();
    for (const { transfer, bytes } of this.#outbox.inOrder()) {
      const shard = this.#shardOf(transfer.region);
      const used = byShard.get(shard) ?? { transfers: 0, bytes: 0 };
      byShard.set(shard, { transfers: used.transfers + 1, bytes: used.bytes + bytes });
    }
    return byShard;
  }
}
