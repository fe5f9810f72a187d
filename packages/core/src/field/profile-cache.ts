import { type Box, boxContains, boxVolume } from "../lattice/box.ts";
import { placesMinorToMajor } from "../lattice/box-order.ts";
import { PlaceMap } from "../lattice/place-map.ts";
import type { CacheEntry } from "./cache-entry.ts";
import { UseOrder } from "./use-order.ts";

/** How many bytes the realized chunks of a profile may take. */
export interface CacheLimits {
  /** Above this, what was not used in the current tick goes. */
  readonly softBytes: number;
  /** Above this nothing is added: what is not pinned goes, and if that is not enough, the new chunk is not kept. */
  readonly hardBytes: number;
}

/** The realized chunks of one profile. */
export class ProfileCache {
  readonly #limits: CacheLimits;
  readonly #entries = new PlaceMap<CacheEntry>();
  readonly #pinCounts = new PlaceMap<number>();
  readonly #order = new UseOrder();
  /** Entries that hold for past snapshots only. */
  readonly #past = new Set<CacheEntry>();
  #bytes = 0;
  /** The part of the bytes that cannot be evicted. */
  #pinnedBytes = 0;
  #size = 0;

  constructor(limits: CacheLimits) {
    this.#limits = limits;
  }

  get bytes(): number {
    return this.#bytes;
  }

  get size(): number {
    return this.#size;
  }

  /** The entry of a place for a snapshot. */
  find(
    epoch: number,
    x: number,
    y: number,
    z: number,
    w: number,
    versionHash: bigint,
  ): CacheEntry | undefined {
    let entry = this.#entries.get(x, y, z, w);
    while (entry !== undefined) {
      const isValid = entry.sinceEpoch <= epoch && epoch < entry.untilEpoch;
      if (isValid && entry.versionHash === versionHash) return entry;
      entry = entry.sibling;
    }
    return undefined;
  }

  /** Notes that an entry was used. */
  touch(entry: CacheEntry, tick: number): void {
    entry.lastTick = tick;
    if (this.#isPinned(entry)) return;
    this.#order.remove(entry);
    this.#order.add(entry);
  }

  /** Adds an entry and tells whether there was room for it. */
  add(entry: CacheEntry): boolean {
    if (this.#joinEqual(entry)) return true;
    const { softBytes, hardBytes } = this.#limits;
    if (this.#pinnedBytes + entry.bytes > hardBytes) return false;
    this.#evictTo(hardBytes - entry.bytes, entry.lastTick, "none");
    this.#evictTo(softBytes - entry.bytes, entry.lastTick, "this tick's");
    entry.sibling = this.#entries.get(entry.x, entry.y, entry.z, entry.w);
    this.#entries.set(entry.x, entry.y, entry.z, entry.w, entry);
    this.#bytes += entry.bytes;
    this.#size++;
    if (this.#isPinned(entry)) this.#pinnedBytes += entry.bytes;
    else this.#order.add(entry);
    if (entry.untilEpoch !== Number.POSITIVE_INFINITY) this.#past.add(entry);
    return true;
  }

  /** Keeps the entries of a place, those to come too, until they are unpinned as often. */
  pin(x: number, y: number, z: number, w: number): void {
    const count = this.#pinCounts.get(x, y, z, w) ?? 0;
    this.#pinCounts.set(x, y, z, w, count + 1);
    if (count > 0) return;
    for (const entry of this.#entriesAt(x, y, z, w)) {
      this.#order.remove(entry);
      this.#pinnedBytes += entry.bytes;
    }
  }

  /** Takes one pin back, and tells whether there was one. */
  unpin(x: number, y: number, z: number, w: number): boolean {
    const count = this.#pinCounts.get(x, y, z, w);
    if (count === undefined) return false;
    if (count > 1) this.#pinCounts.set(x, y, z, w, count - 1);
    else {
      this.#pinCounts.delete(x, y, z, w);
      for (const entry of this.#entriesAt(x, y, z, w)) {
        this.#order.add(entry);
        this.#pinnedBytes -= entry.bytes;
      }
    }
    return true;
  }

  /** Ends what is cached for a box: snapshots from `epoch` on do not see it any more. */
  close(box: Box, epoch: number): void {
    if (boxVolume(box) <= this.#entries.size) {
      for (const [x, y, z, w] of placesMinorToMajor(box)) this.#closePlace(x, y, z, w, epoch);
    } else {
      this.#entries.forEach((_, x, y, z, w) => {
        if (boxContains(box, [x, y, z, w])) this.#closePlace(x, y, z, w, epoch);
      });
    }
  }

  /** Drops the entries that hold for none of these snapshots and are not open to future ones. */
  dropPast(liveEpochs: Iterable<number>): void {
    const live = [...liveEpochs];
    for (const entry of this.#past) {
      const isLive = live.some((epoch) => entry.sinceEpoch <= epoch && epoch < entry.untilEpoch);
      if (!isLive) this.#drop(entry);
    }
  }

  *#entriesAt(x: number, y: number, z: number, w: number): Generator<CacheEntry> {
    for (let entry = this.#entries.get(x, y, z, w); entry !== undefined; entry = entry.sibling) yield entry;
  }

  #closePlace(x: number, y: number, z: number, w: number, epoch: number): void {
    for (const entry of this.#entriesAt(x, y, z, w)) {
      if (entry.untilEpoch !== Number.POSITIVE_INFINITY) continue;
      entry.untilEpoch = epoch;
      this.#past.add(entry);
    }
  }

  /** Between two edits of a place its content is one: then an entry that is there may hold for more snapshots. */
  #joinEqual({ x, y, z, w, versionHash, sinceEpoch, untilEpoch, lastTick }: CacheEntry): boolean {
    for (const known of this.#entriesAt(x, y, z, w)) {
      if (known.untilEpoch !== untilEpoch || known.versionHash !== versionHash) continue;
      known.sinceEpoch = Math.min(known.sinceEpoch, sinceEpoch);
      this.touch(known, lastTick);
      return true;
    }
    return false;
  }

  /** Evicts until at most so many bytes are in use, or nothing is left that may go. */
  #evictTo(bytesMax: number, tick: number, spare: "this tick's" | "none"): void {
    while (this.#bytes > bytesMax) {
      const victim = this.#order.victim(tick, spare);
      if (victim === undefined) return;
      this.#drop(victim);
    }
  }

  #drop(entry: CacheEntry): void {
    const { x, y, z, w } = entry;
    const first = this.#entries.get(x, y, z, w);
    if (first === entry) {
      if (entry.sibling === undefined) this.#entries.delete(x, y, z, w);
      else this.#entries.set(x, y, z, w, entry.sibling);
    } else {
      let before = first;
      while (before !== undefined && before.sibling !== entry) before = before.sibling;
      if (before !== undefined) before.sibling = entry.sibling;
    }
    if (this.#isPinned(entry)) this.#pinnedBytes -= entry.bytes;
    else this.#order.remove(entry);
    this.#past.delete(entry);
    this.#bytes -= entry.bytes;
    this.#size--;
  }

  #isPinned({ x, y, z, w }: CacheEntry): boolean {
    return this.#pinCounts.size > 0 && this.#pinCounts.has(x, y, z, w);
  }
}
