import {
  type Box,
  boxesIntersect,
  boxVolume,
  type Chunk,
  CLOCK_NEVER,
  comparePlaces,
  OverrideTree,
  type Place,
  PlaceMap,
  placesLexicographic,
  regionBox,
  regionsTouching,
} from "@orthant/core";
import { type LeafEntry, type LeafIndex, realizeBlock, type Save, type StoredBlock } from "@orthant/formats";
import type { LoadedRegions } from "./loaded-regions.ts";
import { StoredLeaves } from "./stored-leaves.ts";

/** Past so many regions a box is looked at leaf by leaf: most of it is empty. */
const REGIONS_SINGLY_MAX = 4_096;

/** What a save has of one region. */
export interface LoadedRegion {
  readonly region: Place;
  readonly overrides: OverrideTree;
  readonly clock: number;
}

/** Takes over what was read of a region. */
export type TakeRegion = (loaded: LoadedRegion) => void;

/**
 * Reads the regions of a save when they are needed, each once. Nobody changes a region that is not in memory, so it is
 * the same in every later generation, and may be read from any of them.
 */
export class RegionLoader {
  readonly #loaded: LoadedRegions;
  readonly #generated: (place: Place) => Chunk;
  readonly #leaves = new StoredLeaves();
  readonly #reading = new PlaceMap<Promise<void>>();
  #save: Save;

  constructor(save: Save, loaded: LoadedRegions, generated: (place: Place) => Chunk) {
    this.#save = save;
    this.#loaded = loaded;
    this.#generated = generated;
  }

  /** Whether nothing that a box of chunks touches is still to be read. */
  isLoaded(box: Box): boolean {
    const regions = regionsTouching(box);
    if (boxVolume(regions) > REGIONS_SINGLY_MAX) return false;
    for (const region of placesLexicographic(regions)) if (!this.#loaded.has(region)) return false;
    return true;
  }

  /** As {@link isLoaded}; what is in memory counts as used just now. */
  use(box: Box): boolean {
    const regions = regionsTouching(box);
    if (boxVolume(regions) > REGIONS_SINGLY_MAX) return false;
    let isLoaded = true;
    for (const region of placesLexicographic(regions)) isLoaded = this.#loaded.use(region) && isLoaded;
    return isLoaded;
  }

  /** Reads what a box of chunks touches and was not read before, and hands it over, region by region. */
  async load(box: Box, take: TakeRegion): Promise<void> {
    const regions = regionsTouching(box);
    if (boxVolume(regions) > REGIONS_SINGLY_MAX) return this.#loadWide(box, take);
    for (const region of placesLexicographic(regions)) {
      if (!this.#loaded.use(region)) await this.#load(region, take);
    }
  }

  /** Goes over to the next generation. */
  follow(save: Save): void {
    this.#save = save;
  }

  /** Only what is stored has to be read of a box that may be mostly empty. */
  async #loadWide(box: Box, take: TakeRegion): Promise<void> {
    await this.#holding(async (save) => {
      for (const leaf of await leavesTouching(save.index, box)) {
        const stored = await this.#leaves.read(save, leaf);
        for (const region of stored.places()) {
          if (boxesIntersect(regionBox(region), box) && !this.#loaded.use(region))
            await this.#load(region, take);
        }
      }
    });
  }

  #load(region: Place, take: TakeRegion): Promise<void> {
    const reading =
      this.#reading.get(...region) ?? this.#read(region, take).finally(() => this.#reading.delete(...region));
    this.#reading.set(...region, reading);
    return reading;
  }

  async #read(region: Place, take: TakeRegion): Promise<void> {
    await this.#holding(async (save) => {
      const blocks: StoredBlock[] = [];
      let clock = CLOCK_NEVER;
      for (const leaf of await leavesTouching(save.index, regionBox(region))) {
        clock = clockIn(leaf, region) ?? clock;
        if (leaf.blockRefs.length > 0) {
          blocks.push(...((await this.#leaves.read(save, leaf)).get(...region) ?? []));
        }
      }
      let overrides = OverrideTree.VIRGIN;
      for (const block of blocks)
        overrides = overrides.set(block.place, realizeBlock(block, this.#generated));
      this.#loaded.add(region, blocks.length);
      take({ region, overrides, clock });
    });
  }

  /** Works on a save that is held on its own: the world may go over to the next one and close this one meanwhile. */
  async #holding(work: (save: Save) => Promise<void>): Promise<void> {
    const save = this.#save.follow();
    try {
      await work(save);
    } finally {
      await save.close();
    }
  }
}

/** The leaves that a box of chunks touches, once the parts of the index that name them are read. */
export async function leavesTouching(index: LeafIndex, box: Box): Promise<readonly LeafEntry[]> {
  // Somebody may let go of what was read before this goes on.
  while (!index.isLoaded(box)) await index.load(box);
  return [...index.touching(box)];
}

/** The clock that a leaf has for a region: its list is in the order of the regions. */
function clockIn({ clocks }: LeafEntry, region: Place): number | undefined {
  let low = 0;
  let high = clocks.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    const entry = clocks[middle];
    if (entry === undefined) break;
    const order = comparePlaces(entry.region, region);
    if (order === 0) return entry.clock;
    if (order < 0) low = middle + 1;
    else high = middle;
  }
  return undefined;
}
