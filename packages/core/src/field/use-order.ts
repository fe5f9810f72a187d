import type { CacheEntry } from "./cache-entry.ts";

/** So many of the coldest entries compete to be evicted. */
const CONTENDERS = 8;

/** Cache entries in the order of their last use. */
export class UseOrder {
  #coldest: CacheEntry | undefined;
  #hottest: CacheEntry | undefined;

  /** Puts an entry that is not in the order yet at its hot end. */
  add(entry: CacheEntry): void {
    entry.colder = this.#hottest;
    entry.hotter = undefined;
    if (this.#hottest === undefined) this.#coldest = entry;
    else this.#hottest.hotter = entry;
    this.#hottest = entry;
  }

  /** Takes an entry out of the order. */
  remove(entry: CacheEntry): void {
    if (entry.colder === undefined) this.#coldest = entry.hotter;
    else entry.colder.hotter = entry.hotter;
    if (entry.hotter === undefined) this.#hottest = entry.colder;
    else entry.hotter.colder = entry.colder;
    entry.colder = undefined;
    entry.hotter = undefined;
  }

  /** The entry to evict: of the coldest few, the one that has taken the most bytes for the longest time. */
  victim(tick: number, spare: "this tick's" | "none"): CacheEntry | undefined {
    let victim: CacheEntry | undefined;
    let greatestWeight = 0;
    let entry = this.#coldest;
    for (let count = 0; count < CONTENDERS && entry !== undefined; count++, entry = entry.hotter) {
      if (spare === "this tick's" && entry.lastTick >= tick) break;
      const weight = entry.bytes * (tick - entry.lastTick + 1);
      if (weight <= greatestWeight) continue;
      victim = entry;
      greatestWeight = weight;
    }
    return victim;
  }
}
