import type { Box, Chunk, ChunkShape, Position } from "@orthant/core";
import {
  axisOutside,
  boxAt,
  boxesIntersect,
  boxVolume,
  CLOCK_NEVER,
  comparePositions,
  OverrideTree,
  PositionMap,
  positionsLexicographic,
  regionBox,
  regionOf,
  regionsTouching,
} from "@orthant/core/engine";
import type { LeafEntry, LeafIndex, Save, StoredChunk } from "@orthant/save";
import { realizeStored, type ScheduledTick, ticksOf } from "@orthant/save/content";
import type { LoadedRegions } from "./loaded-regions.ts";

/** Boxes with more regions are read leaf by leaf, because most of such a box is empty. */
const REGIONS_SINGLY_MAX = 4_096;

/** The stored contents of one region. */
export interface LoadedRegion {
  readonly region: Position;
  readonly overrides: OverrideTree;
  readonly clock: number;
  /** Scheduled ticks, of the chunks that have some. */
  readonly ticks: readonly { readonly position: Position; readonly ticks: readonly ScheduledTick[] }[];
}

type OnRegion = (loaded: LoadedRegion) => void;

/**
 * Reads the regions of a save on demand, each once. A region that is not in memory never changes, so it is
 * the same in every later generation and can be read from any of them.
 */
export class RegionReader {
  readonly #loaded: LoadedRegions;
  readonly #shape: ChunkShape;
  readonly #generated: (position: Position) => Chunk;
  readonly #leaves = new StoredLeaves();
  readonly #reading = new PositionMap<Promise<void>>();
  #save: Save;

  constructor(
    save: Save,
    loaded: LoadedRegions,
    shape: ChunkShape,
    generated: (position: Position) => Chunk,
  ) {
    this.#save = save;
    this.#loaded = loaded;
    this.#shape = shape;
    this.#generated = generated;
  }

  /** The index of the generation being read from. */
  get index(): LeafIndex {
    return this.#save.index;
  }

  /** Reads the parts of the index that name the leaves in a box. */
  loadIndex(box: Box): Promise<void> {
    return this.#holding((save) => save.index.load(box));
  }

  /** Whether everything that touches a box of chunks has been read. */
  isLoaded(box: Box): boolean {
    const regions = regionsTouching(box);
    if (boxVolume(regions) > REGIONS_SINGLY_MAX) return false;
    for (const region of positionsLexicographic(regions)) if (!this.#loaded.has(region)) return false;
    return true;
  }

  /**
   * Like {@link isLoaded}, and marks the regions in memory as just used. Regions for which the save is known
   * to have nothing are added at once.
   */
  use(box: Box, onRegion: OnRegion): boolean {
    const regions = regionsTouching(box);
    if (boxVolume(regions) > REGIONS_SINGLY_MAX) return false;
    let isLoaded = true;
    for (const region of positionsLexicographic(regions)) {
      isLoaded = (this.#loaded.use(region) || this.#addEmpty(region, onRegion)) && isLoaded;
    }
    return isLoaded;
  }

  /** Reads all regions that touch a box of chunks and have not been read, and passes each to `onRegion`. */
  async load(box: Box, onRegion: OnRegion): Promise<void> {
    const regions = regionsTouching(box);
    if (boxVolume(regions) > REGIONS_SINGLY_MAX) return this.#loadWide(box, onRegion);
    for (const region of positionsLexicographic(regions)) {
      if (!this.#loaded.use(region)) await this.#load(region, onRegion);
    }
  }

  /** Returns a chunk as the save has it, even one that is never shown; else what the generator produces. */
  async storedChunk(position: Position): Promise<Chunk> {
    return this.#holding(async (save) => {
      for (const leaf of await loadLeavesTouching(save.index, boxAt(position))) {
        const stored = (await this.#leaves.read(save, leaf)).get(...regionOf(position)) ?? [];
        const found = stored.find((entry) => comparePositions(entry.position, position) === 0);
        if (found !== undefined) return realizeStored(found, this.#generated);
      }
      return this.#generated(position);
    });
  }

  switchTo(save: Save): void {
    this.#save = save;
  }

  /** Reads only what is stored, since most of the box may be empty. */
  async #loadWide(box: Box, onRegion: OnRegion): Promise<void> {
    await this.#holding(async (save) => {
      for (const leaf of await loadLeavesTouching(save.index, box)) {
        const stored = await this.#leaves.read(save, leaf);
        for (const region of stored.positions()) {
          if (boxesIntersect(regionBox(region), box) && !this.#loaded.use(region))
            await this.#load(region, onRegion);
        }
      }
    });
  }

  /** Most of a world is empty: where nothing is stored, there is nothing to wait for. */
  #addEmpty(region: Position, onRegion: OnRegion): boolean {
    const { index } = this.#save;
    const chunks = regionBox(region);
    if (this.#reading.has(...region) || !index.isLoaded(chunks)) return false;
    for (const _leaf of index.touching(chunks)) return false;
    this.#loaded.add(region, 0);
    onRegion({ region, overrides: OverrideTree.UNTOUCHED, clock: CLOCK_NEVER, ticks: [] });
    return true;
  }

  #load(region: Position, onRegion: OnRegion): Promise<void> {
    const reading =
      this.#reading.get(...region) ??
      this.#read(region, onRegion).finally(() => this.#reading.delete(...region));
    this.#reading.set(...region, reading);
    return reading;
  }

  async #read(region: Position, onRegion: OnRegion): Promise<void> {
    await this.#holding(async (save) => {
      const chunks: StoredChunk[] = [];
      let clock = CLOCK_NEVER;
      for (const leaf of await loadLeavesTouching(save.index, regionBox(region))) {
        clock = clockIn(leaf, region) ?? clock;
        if (leaf.chunkRefs.length > 0) {
          const stored = (await this.#leaves.read(save, leaf)).get(...region) ?? [];
          // Content on an axis that the world does not have stays on disk and is never shown. Rule S104.
          chunks.push(...stored.filter(({ position }) => axisOutside(this.#shape, position) === undefined));
        }
      }
      let overrides = OverrideTree.UNTOUCHED;
      for (const entry of chunks)
        overrides = overrides.set(entry.position, realizeStored(entry, this.#generated));
      const ticks = chunks
        .map((entry) => ({ position: entry.position, ticks: ticksOf(entry, this.#shape.volume) }))
        .filter((found) => found.ticks.length > 0);
      this.#loaded.add(region, chunks.length);
      onRegion({ region, overrides, clock, ticks });
    });
  }

  /** Runs `work` on a separately held save, since the world may switch to the next and close this one. */
  async #holding<Result>(work: (save: Save) => Promise<Result>): Promise<Result> {
    const save = this.#save.share();
    try {
      return await work(save);
    } finally {
      await save.close();
    }
  }
}

/** Returns the leaves that touch a box of chunks, after reading the parts of the index that name them. */
export async function loadLeavesTouching(index: LeafIndex, box: Box): Promise<readonly LeafEntry[]> {
  // The index may be unloaded again before this resumes.
  while (!index.isLoaded(box)) await index.load(box);
  return [...index.touching(box)];
}

/** Returns the clock that a leaf has for a region. The list is ordered by region. */
function clockIn({ clocks }: LeafEntry, region: Position): number | undefined {
  let low = 0;
  let high = clocks.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    const entry = clocks[middle];
    if (entry === undefined) break;
    const order = comparePositions(entry.region, region);
    if (order === 0) return entry.clock;
    if (order < 0) low = middle + 1;
    else high = middle;
  }
  return undefined;
}

/** Number of leaves cached in stored form: neighbouring regions often lie in the same leaf. */
const LEAVES_MAX = 64;

/** The stored chunks of a leaf, by region. */
type LeafChunks = PositionMap<readonly StoredChunk[]>;

/** Reads leaves, each once while it is in use, and caches the most recent ones. */
class StoredLeaves {
  /** In order of last use. */
  readonly #leaves = new Map<LeafEntry, Promise<LeafChunks>>();

  /** Returns the stored chunks of a leaf. */
  read(save: Save, leaf: LeafEntry): Promise<LeafChunks> {
    const reading = this.#leaves.get(leaf) ?? this.#readNow(save, leaf);
    this.#leaves.delete(leaf);
    this.#leaves.set(leaf, reading);
    for (const oldest of this.#leaves.keys()) {
      if (this.#leaves.size <= LEAVES_MAX) break;
      this.#leaves.delete(oldest);
    }
    return reading;
  }

  async #readNow(save: Save, leaf: LeafEntry): Promise<LeafChunks> {
    try {
      return byRegion(await save.readStored(leaf));
    } catch (error) {
      // A later attempt may succeed.
      this.#leaves.delete(leaf);
      throw error;
    }
  }
}

function byRegion(chunks: readonly StoredChunk[]): LeafChunks {
  const regions = new PositionMap<StoredChunk[]>();
  for (const entry of chunks) {
    const region: Position = regionOf(entry.position);
    const others = regions.get(...region);
    if (others === undefined) regions.set(...region, [entry]);
    else others.push(entry);
  }
  return regions;
}

/** Returns a map key that is unique to the cube. */
export function cubeKey({ min, max }: Box): string {
  return `${min}/${max}`;
}
