import type { ByteWriter } from "@orthant/core";
import type { JournalEntry } from "@orthant/save";

type EntityEntry = Extract<JournalEntry, { readonly kind: "entity" }>;

interface Latest {
  readonly storedAt: EntityEntry["storedAt"];
  readonly bytes: Uint8Array;
}

/** The last entry of each entity in a group, which makes earlier ones redundant: groups are atomic. */
export class LatestEntities {
  readonly #latest = new Map<bigint, Latest>();
  #bytes = 0;

  /** Total size of the entries. */
  get bytes(): number {
    return this.#bytes;
  }

  /**
   * Returns the entry to write in place of the previous one. An entity that has left its leaf since then no
   * longer knows that leaf, but replay has to find it there. Rules J8 and J20.
   */
  withPosition(entry: EntityEntry): EntityEntry {
    return { ...entry, storedAt: entry.storedAt ?? this.#latest.get(entry.entity.entityId)?.storedAt };
  }

  /** Stores the bytes of an entry, which must not change afterwards. */
  put({ entity: { entityId }, storedAt }: EntityEntry, bytes: Uint8Array): void {
    this.#bytes += bytes.length - (this.#latest.get(entityId)?.bytes.length ?? 0);
    this.#latest.set(entityId, { storedAt, bytes });
  }

  /** Writes the pending entry of an entity, if any, before another entry about it is written. */
  settle(entityId: bigint, out: ByteWriter): void {
    const latest = this.#latest.get(entityId);
    if (latest === undefined) return;
    out.raw(latest.bytes);
    this.#bytes -= latest.bytes.length;
    this.#latest.delete(entityId);
  }

  /** Writes all pending entries. */
  settleAll(out: ByteWriter): void {
    for (const entityId of this.#latest.keys()) this.settle(entityId, out);
  }
}
