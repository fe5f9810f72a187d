import type { Entry } from "../engine/engine.ts";

/** Gap between the revisions of a lost table and those of its replacement. */
const LOST_REVISIONS = 1_000;

/** The values of all keys, in order of their writes. */
export class MemoryTable {
  readonly #entries = new Map<string, Entry>();
  #revision = 0;

  /** The revision of the last write. */
  get revision(): number {
    return this.#revision;
  }

  get(key: string): Entry | undefined {
    return this.#entries.get(key);
  }

  /** Writes a value. Returns the entry. */
  put(key: string, value: Uint8Array): Entry {
    const entry: Entry = { key, value: value.slice(), revision: ++this.#revision };
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    return entry;
  }

  /** Writes if the key is at revision `expected`. Returns `undefined` otherwise. */
  swap(key: string, value: Uint8Array, expected: number): Entry | undefined {
    return (this.#entries.get(key)?.revision ?? 0) === expected ? this.put(key, value) : undefined;
  }

  /** Returns the current entries with `prefix` that were written after a revision, in order. */
  since(revision: number, prefix: string): readonly Entry[] {
    // Each write moves its key to the end, so the map is in order of revisions.
    return [...this.#entries.values()].filter(
      (entry) => entry.revision > revision && entry.key.startsWith(prefix),
    );
  }

  /** Loses everything, like an engine whose disks are all gone. No earlier revision is ever reused. */
  lose(): void {
    this.#entries.clear();
    this.#revision += LOST_REVISIONS;
  }
}
