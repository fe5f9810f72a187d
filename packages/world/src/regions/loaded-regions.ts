import type { Box, Chunk, Position } from "@orthant/core";
import {
  boxesIntersect,
  boxVolume,
  PositionMap,
  positionsLexicographic,
  regionBox,
  regionsTouching,
} from "@orthant/core/lattice";

/** Boxes of more regions are kept as one box instead of region by region; callers rarely keep that many. */
const REGIONS_KEPT_SINGLY_MAX = 256;

/** A search for cold regions stops after this many kept or needed ones in a row. */
const KEPT_IN_ROW_MAX = 256;

/** Memory of a region besides its chunks: its clock, its node of the tree, and what is noted about it here. */
const REGION_BYTES = 1_024;
/** Memory of an edited chunk besides the chunk itself. */
const CHUNK_SLOT_BYTES = 16;

interface RegionInMemory {
  readonly position: Position;
  bytes: number;
}

/** Tracks which regions are in memory, in order of use, and which must stay there. */
export class LoadedRegions {
  readonly #regions = new PositionMap<RegionInMemory>();
  /** Least recently used first. */
  readonly #order = new Set<RegionInMemory>();
  readonly #keptRegions = new PositionMap<number>();
  readonly #keptBoxes = new Set<Box>();
  #bytes = 0;

  /** Approximate memory, in bytes, of the regions and their edited chunks. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Returns the approximate memory of a region; 0 if it is not in memory. */
  bytesOf([x, y, z, w]: Position): number {
    return this.#regions.get(x, y, z, w)?.bytes ?? 0;
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

  /** Records a region that was loaded with these edited chunks. */
  add(position: Position, chunks: Iterable<Chunk>): void {
    let bytes = REGION_BYTES;
    for (const chunk of chunks) bytes += bytesOfOverride(chunk);
    this.#add({ position, bytes });
  }

  /** Counts that a chunk of a region in memory was edited. Returns by how many bytes the region grew. */
  replace([x, y, z, w]: Position, before: Chunk | undefined, after: Chunk | undefined): number {
    const region = this.#regions.get(x, y, z, w);
    if (region === undefined) return 0;
    const grown = bytesOfOverride(after) - bytesOfOverride(before);
    region.bytes += grown;
    this.#bytes += grown;
    return grown;
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
   * Removes and yields the least recently used regions that are neither kept nor needed, until they take at most
   * `bytesMax`. Kept and needed regions count as just used. After many of them in a row the search
   * stops, and the next call resumes it.
   */
  *removeCold(bytesMax: number, isNeeded: (position: Position) => boolean): Generator<Position> {
    let keptInRow = 0;
    for (const region of this.#order) {
      if (this.#bytes <= bytesMax || keptInRow === KEPT_IN_ROW_MAX) return;
      const { position } = region;
      this.#order.delete(region);
      if (this.#isKept(position) || isNeeded(position)) {
        this.#order.add(region);
        keptInRow++;
        continue;
      }
      keptInRow = 0;
      this.#regions.delete(...position);
      this.#bytes -= region.bytes;
      yield position;
    }
  }

  /** Returns an independent copy that keeps no regions. */
  copy(): LoadedRegions {
    const copy = new LoadedRegions();
    for (const { position, bytes } of this.#order) copy.#add({ position, bytes });
    return copy;
  }

  #add(region: RegionInMemory): void {
    this.#regions.set(...region.position, region);
    this.#order.add(region);
    this.#bytes += region.bytes;
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

/** Returns the memory of an edited chunk; 0 for a chunk that is not edited. */
function bytesOfOverride(chunk: Chunk | undefined): number {
  return chunk === undefined ? 0 : CHUNK_SLOT_BYTES + chunk.memoryBytes;
}
