import type { Box, Position } from "@orthant/core";
import {
  boxesIntersect,
  boxVolume,
  PositionMap,
  positionsLexicographic,
  regionBox,
  regionsTouching,
} from "@orthant/core/engine";

/** Boxes of more regions are kept as one box instead of region by region; callers rarely keep that many. */
const REGIONS_KEPT_SINGLY_MAX = 256;

/** A search for cold regions stops after this many kept or needed ones in a row. */
const KEPT_IN_ROW_MAX = 256;

interface RegionInMemory {
  readonly position: Position;
  readonly chunks: number;
}

/** Tracks which regions are in memory, in order of use, and which must stay there. */
export class LoadedRegions {
  readonly #regions = new PositionMap<RegionInMemory>();
  /** Least recently used first. */
  readonly #order = new Set<RegionInMemory>();
  readonly #keptRegions = new PositionMap<number>();
  readonly #keptBoxes = new Set<Box>();
  #weight = 0;

  /** Number of regions plus edited chunks in memory. */
  get weight(): number {
    return this.#weight;
  }

  /** Whether a region is in memory. */
  has([x, y, z, w]: Position): boolean {
    return this.#regions.has(x, y, z, w);
  }

  /** Whether a region is in memory; if so, marks it as just used. */
  use([x, y, z, w]: Position): boolean {
    const region = this.#regions.get(x, y, z, w);
    if (region === undefined) return false;
    this.#order.delete(region);
    this.#order.add(region);
    return true;
  }

  /** Records a region that was loaded with this number of edited chunks. */
  add(position: Position, chunks: number): void {
    const region = { position, chunks };
    this.#regions.set(...position, region);
    this.#order.add(region);
    this.#weight += weightOf(region);
  }

  /** Keeps a box of chunks in memory, now or once it is loaded. Returns a function that releases it. */
  keep(chunks: Box): () => void {
    const regions = regionsTouching(chunks);
    if (boxVolume(regions) > REGIONS_KEPT_SINGLY_MAX) {
      // A separate object, since the same box may be kept twice.
      const box = { ...chunks };
      this.#keptBoxes.add(box);
      return () => void this.#keptBoxes.delete(box);
    }
    for (const position of positionsLexicographic(regions)) this.#count(position, 1);
    let isKept = true;
    return () => {
      if (isKept) for (const position of positionsLexicographic(regions)) this.#count(position, -1);
      isKept = false;
    };
  }

  /**
   * Removes and yields the least recently used regions that are neither kept nor needed, until the weight is
   * at most `weightMax`. Kept and needed regions count as just used. After many of them in a row the search
   * stops, and the next call resumes it.
   */
  *removeCold(weightMax: number, isNeeded: (position: Position) => boolean): Generator<Position> {
    let keptInRow = 0;
    for (const region of this.#order) {
      if (this.#weight <= weightMax || keptInRow === KEPT_IN_ROW_MAX) return;
      const { position } = region;
      this.#order.delete(region);
      if (this.#isKept(position) || isNeeded(position)) {
        this.#order.add(region);
        keptInRow++;
        continue;
      }
      keptInRow = 0;
      this.#regions.delete(...position);
      this.#weight -= weightOf(region);
      yield position;
    }
  }

  /** Returns an independent copy that keeps no regions. */
  copy(): LoadedRegions {
    const copy = new LoadedRegions();
    for (const { position, chunks } of this.#order) copy.add(position, chunks);
    return copy;
  }

  #isKept(position: Position): boolean {
    if (this.#keptRegions.has(...position)) return true;
    if (this.#keptBoxes.size === 0) return false;
    const chunks = regionBox(position);
    for (const box of this.#keptBoxes) if (boxesIntersect(box, chunks)) return true;
    return false;
  }

  #count(position: Position, change: number): void {
    const count = (this.#keptRegions.get(...position) ?? 0) + change;
    if (count > 0) this.#keptRegions.set(...position, count);
    else this.#keptRegions.delete(...position);
  }
}

/** A region without edits takes up memory too. */
function weightOf({ chunks }: RegionInMemory): number {
  return 1 + chunks;
}
