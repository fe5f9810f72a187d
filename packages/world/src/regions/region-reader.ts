import type { Box, Chunk, ChunkShape, Position } from "@orthant/core";
import {
  axisOutside,
  boxAt,
  boxContains,
  boxesIntersect,
  boxVolume,
  comparePositions,
  intersectBoxes,
  PositionMap,
  positionsLexicographic,
  regionBox,
  regionOf,
  regionsTouching,
  unionBox,
  WHOLE_LATTICE,
} from "@orthant/core/lattice";
import { CLOCK_NEVER, OverrideTree, type WorldState } from "@orthant/core/tree";
import { isDamage } from "@orthant/disk/files";
import type { LeafEntry, LeafIndex, Save, StoredChunk } from "@orthant/save";
import { lazyStoredChunk, realizeStored, type ScheduledTick, ticksOf } from "@orthant/save/content";
import type { LoadedRegions } from "./loaded-regions.ts";

/** Boxes with more regions are read leaf by leaf, because most of such a box is empty. */
const REGIONS_SINGLY_MAX = 4_096;
/** Columns of regions of which it is remembered that all that is stored above has been read. */
const COLUMNS_MAX = 65_536;

/** The stored contents of one region. */
export interface LoadedRegion {
  readonly region: Position;
  readonly overrides: OverrideTree;
  readonly clock: number;
  /** Scheduled ticks, of the chunks that have some. */
  readonly ticks: readonly { readonly position: Position; readonly ticks: readonly ScheduledTick[] }[];
}

type OnRegion = (loaded: LoadedRegion) => void;

/** The generators of a world. */
type Untouched = Pick<WorldState, "generatesAnywhere" | "generatedChunk">;

/**
 * Reads the regions of a save on demand, each once. A region that is not in memory never changes, so it is
 * the same in every later generation and can be read from any of them.
 */
export class RegionReader {
  readonly #loaded: LoadedRegions;
  readonly #shape: ChunkShape;
  readonly #untouched: () => Untouched;
  readonly #leaves = new StoredLeaves();
  readonly #reading = new PositionMap<Promise<void>>();
  /** By column of regions, which have 0 as their y: the lowest region from which on all that is stored is in memory. */
  readonly #columns = new PositionMap<number>();
  #save: Save;

  /** `untouched` returns the world as its generators make it now. */
  constructor(save: Save, loaded: LoadedRegions, shape: ChunkShape, untouched: () => Untouched) {
    this.#save = save;
    this.#loaded = loaded;
    this.#shape = shape;
    this.#untouched = untouched;
  }

  /** Returns a reader of the same generation that knows what this one has read. */
  copy(save: Save, loaded: LoadedRegions, untouched: () => Untouched): RegionReader {
    const copy = new RegionReader(save, loaded, this.#shape, untouched);
    for (const [column, y] of this.#columns) copy.#columns.set(...column, y);
    return copy;
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
    const only = onlyRegion(box);
    if (only !== undefined) return this.#loaded.use(only) || this.#addEmpty(only, onRegion);
    const regions = regionsTouching(box);
    if (boxVolume(regions) > REGIONS_SINGLY_MAX) return false;
    let isLoaded = true;
    for (const region of positionsLexicographic(regions)) {
      isLoaded = (this.#loaded.use(region) || this.#addEmpty(region, onRegion)) && isLoaded;
    }
    return isLoaded;
  }

  /** Whether everything that is stored for a chunk and those above it has been read. */
  isLoadedAbove(chunk: Position): boolean {
    const [x, y, z, w] = regionOf(chunk);
    if ((this.#columns.get(x, 0, z, w) ?? Number.POSITIVE_INFINITY) <= y) return true;
    const { index } = this.#save;
    const column = upToTheTop(boxAt(chunk));
    if (!index.isLoaded(column)) return false;
    for (const { chunkRefs } of index.touching(column)) if (chunkRefs.length > 0) return false;
    this.#addColumn([x, y, z, w]);
    return true;
  }

  /** Notes that what is stored for a box of chunks and those above it has been read. */
  loadedAbove(chunks: Box): void {
    const { min, max } = regionsTouching(chunks);
    const lowest: Box = { min, max: [max[0], min[1] + 1, max[2], max[3]] };
    for (const region of positionsLexicographic(lowest)) this.#addColumn(region);
  }

  /** Notes that a region is no longer in memory. */
  evicted([x, y, z, w]: Position): void {
    if ((this.#columns.get(x, 0, z, w) ?? Number.POSITIVE_INFINITY) <= y) this.#columns.delete(x, 0, z, w);
  }

  #addColumn([x, y, z, w]: Position): void {
    const known = this.#columns.get(x, 0, z, w);
    if (known !== undefined && known <= y) return;
    if (this.#columns.size >= COLUMNS_MAX) this.#columns.clear();
    this.#columns.set(x, 0, z, w, y);
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
      const generated = (at: Position): Chunk => this.#untouched().generatedChunk(...at);
      const leaves = await loadLeavesTouching(save.index, boxAt(position));
      for (const leaf of await this.#leaves.read(save, leaves)) {
        const stored = leaf.get(...regionOf(position)) ?? [];
        const found = stored.find((entry) => comparePositions(entry.position, position) === 0);
        if (found !== undefined) return realizeStored(found, generated);
      }
      return generated(position);
    });
  }

  /**
   * Returns a box around the stored chunks of each leaf that lie in `box`, or `undefined` for none. A damaged leaf
   * counts with its whole cube.
   */
  async storedBounds(
    leaves: readonly LeafEntry[],
    box: Box,
  ): Promise<ReadonlyMap<LeafEntry, Box | undefined>> {
    return this.#holding(async (save) => {
      const bounds = new Map<LeafEntry, Box | undefined>();
      const read = await Promise.allSettled(leaves.map((leaf) => this.#leaves.read(save, [leaf])));
      for (const [index, leaf] of leaves.entries()) {
        const result = read[index] as (typeof read)[number];
        if (result.status === "fulfilled") bounds.set(leaf, this.#boundsIn(result.value, box));
        else if (isDamage(result.reason)) bounds.set(leaf, intersectBoxes(leaf.cube, box));
        else throw result.reason;
      }
      return bounds;
    });
  }

  #boundsIn(leaves: readonly LeafChunks[], box: Box): Box | undefined {
    let bounds: Box | undefined;
    for (const leaf of leaves) {
      for (const region of leaf.positions()) {
        for (const { position } of leaf.get(...region) ?? []) {
          if (!boxContains(box, position) || axisOutside(this.#shape, position) !== undefined) continue;
          bounds = unionBox(bounds, boxAt(position));
        }
      }
    }
    return bounds;
  }

  switchTo(save: Save): void {
    this.#save = save;
  }

  /** Reads only what is stored, since most of the box may be empty. */
  async #loadWide(box: Box, onRegion: OnRegion): Promise<void> {
    await this.#holding(async (save) => {
      for (const leaf of await loadLeavesTouching(save.index, box)) {
        for (const stored of await this.#leaves.read(save, [leaf])) {
          for (const region of stored.positions()) {
            if (boxesIntersect(regionBox(region), box) && !this.#loaded.use(region))
              await this.#load(region, onRegion);
          }
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
    this.#loaded.add(region, []);
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
      const leaves = await loadLeavesTouching(save.index, regionBox(region));
      let clock = CLOCK_NEVER;
      for (const leaf of leaves) clock = clockIn(leaf, region) ?? clock;
      const withChunks = leaves.filter(({ chunkRefs }) => chunkRefs.length > 0);
      for (const leaf of await this.#leaves.read(save, withChunks)) {
        // Content on an axis that the world does not have stays on disk and is never shown. Rule S104.
        for (const entry of leaf.get(...region) ?? [])
          if (axisOutside(this.#shape, entry.position) === undefined) chunks.push(entry);
      }
      const realized = this.#realize(chunks);
      const overrides = OverrideTree.ofRegion(region, realized);
      const ticks = chunks
        .map((entry) => ({ position: entry.position, ticks: ticksOf(entry, this.#shape.volume) }))
        .filter((found) => found.ticks.length > 0);
      this.#loaded.add(
        region,
        realized.map(({ chunk }) => chunk),
      );
      onRegion({ region, overrides, clock, ticks });
    });
  }

  /** Checks chunks and returns them; each is decoded when it is first used, if that can never fail. */
  #realize(
    chunks: readonly StoredChunk[],
  ): readonly { readonly position: Position; readonly chunk: Chunk }[] {
    const untouched = this.#untouched();
    const generated = (position: Position): Chunk => untouched.generatedChunk(...position);
    return chunks.map((entry) => {
      const isLazy = untouched.generatesAnywhere || entry.kind === "chunk" || entry.base === "air";
      const realize = isLazy ? lazyStoredChunk : realizeStored;
      return { position: entry.position, chunk: realize(entry, generated) };
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

/** Returns a box of chunks and all chunks above it. */
export function upToTheTop({ min, max }: Box): Box {
  return { min, max: [max[0], WHOLE_LATTICE.max[1], max[2], max[3]] };
}

/** Returns the leaves that touch a box of chunks, after reading the parts of the index that name them. */
export async function loadLeavesTouching(index: LeafIndex, box: Box): Promise<readonly LeafEntry[]> {
  // The index may be unloaded again before this resumes.
  while (!index.isLoaded(box)) await index.load(box);
  return [...index.touching(box)];
}

/** Returns the region of a box of one chunk. */
function onlyRegion({ min, max }: Box): Position | undefined {
  const isOne =
    max[0] - min[0] === 1 && max[1] - min[1] === 1 && max[2] - min[2] === 1 && max[3] - min[3] === 1;
  return isOne ? regionOf(min) : undefined;
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

  /** Returns the stored chunks of each leaf. */
  read(save: Save, leaves: readonly LeafEntry[]): Promise<readonly LeafChunks[]> {
    const missing = leaves.filter((leaf) => !this.#leaves.has(leaf));
    for (const [index, reading] of save.readStoredOf(missing).entries()) {
      const leaf = missing[index] as LeafEntry;
      this.#leaves.set(leaf, this.#sorted(leaf, reading));
    }
    const found = leaves.map((leaf) => {
      const reading = this.#leaves.get(leaf) as Promise<LeafChunks>;
      this.#leaves.delete(leaf);
      this.#leaves.set(leaf, reading);
      return reading;
    });
    for (const oldest of this.#leaves.keys()) {
      if (this.#leaves.size <= LEAVES_MAX) break;
      this.#leaves.delete(oldest);
    }
    return Promise.all(found);
  }

  async #sorted(leaf: LeafEntry, reading: Promise<readonly StoredChunk[]>): Promise<LeafChunks> {
    try {
      return byRegion(leaf, await reading);
    } catch (error) {
      // A later attempt may succeed.
      this.#leaves.delete(leaf);
      throw error;
    }
  }
}

function byRegion({ cube }: LeafEntry, chunks: readonly StoredChunk[]): LeafChunks {
  const regions = new PositionMap<StoredChunk[]>();
  if (boxVolume(regionsTouching(cube)) === 1) {
    regions.set(...regionOf(cube.min), [...chunks]);
    return regions;
  }
  for (const entry of chunks) {
    const region: Position = regionOf(entry.position);
    regions.getOrAdd(...region, () => []).push(entry);
  }
  return regions;
}

/** Returns a map key that is unique to the cube. */
export function cubeKey({ min, max }: Box): string {
  return `${min}/${max}`;
}
