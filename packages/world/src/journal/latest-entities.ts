import type { ByteWriter } from "@orthant/core";
import type { JournalEntry } from "@orthant/formats";

type EntityEntry = Extract<JournalEntry, { readonly kind: "entity" }>;

interface Latest {
  readonly storedAt: EntityEntry["storedAt"];
  readonly bytes: Uint8Array;
}

/** The last entry of each entity in a group: a group is there as a whole or not, so that earlier ones mean nothing. */
export class LatestEntities {
  readonly #latest = new Map<bigint, Latest>();
  #bytes = 0;

  /** What they take. */
  get bytes(): number {
    return this.#bytes;
  }

  /**
   * An entry as it has to be written in the place of the one before: an entity that has left its leaf since then no
   * longer knows which that was, and whoever makes the change again has to find it there. Rules J8 and J20.
   */
  withPlace(entry: EntityEntry): EntityEntry {
    return { ...entry, storedAt: entry.storedAt ?? this.#latest.get(entry.entity.entityId)?.storedAt };
  }

  /** Takes the bytes of an entry, which stay as they are. */
  put({ entity: { entityId }, storedAt }: EntityEntry, bytes: Uint8Array): void {
    this.#bytes += bytes.length - (this.#latest.get(entityId)?.bytes.length ?? 0);
    this.#latest.set(entityId, { storedAt, bytes });
  }

  /** Writes the entry of an entity, if there is one, before something else about it is written. */
  settle(entityId: bigint, out: ByteWriter): void {
    const latest = this.#latest.get(entityId);
    if (latest === undefined) return;
    out.raw(latest.bytes);
    this.#bytes -= latest.bytes.length;
    this.#latest.delete(entityId);
  }

  /** Writes all of them. */
  settleAll(out: ByteWriter): void {
    for (const entityId of this.#latest.keys()) this.settle(entityId, out);
  }
}
