import type { Entry } from "../engine/engine.ts";

/** So much later the revisions of a table begin that takes the place of one that was lost. */
const LOST_REVISIONS = 1_000;

/** The values of all keys, in the order in which they were written. */
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

  /** Writes, and gives the entry. */
  put(key: string, value: Uint8Array): Entry {
    const entry: Entry = { key, value: value.slice(), revision: ++this.#revision };
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    return entry;
  }

  /** Writes when the key stands at this revision; `undefined` when it does not. */
  swap(key: string, value: Uint8Array, expected: number): Entry | undefined {
    return (this.#entries.get(key)?.revision ?? 0) === expected ? this.put(key, value) : undefined;
  }

  /** What was written behind a revision to keys with this prefix and still stands, in order. */
  since(revision: number, prefix: string): readonly Entry[] {
    // Each write puts its key at the end, so that the map is in the order of the revisions.
    return [...this.#entries.values()].filter(
      (entry) => entry.revision > revision && entry.key.startsWith(prefix),
    );
  }

  /** Loses everything, as an engine does whose disks are all gone. Nobody's revision is one that comes again. */
  lose(): void {
    this.#entries.clear();
    this.#revision += LOST_REVISIONS;
  }
}
