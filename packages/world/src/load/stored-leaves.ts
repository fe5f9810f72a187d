import { type Place, PlaceMap, regionOf } from "@orthant/core";
import type { LeafEntry, Save, StoredBlock } from "@orthant/formats";

/** So many leaves are known as they are stored: neighbouring regions often lie in the same one. */
const LEAVES_MAX = 64;

/** The blocks of a leaf as they are stored, by region. */
export type LeafBlocks = PlaceMap<readonly StoredBlock[]>;

/** Reads leaves, each once while it is in use, and remembers the last few. */
export class StoredLeaves {
  /** In the order of their last use. */
  readonly #leaves = new Map<LeafEntry, Promise<LeafBlocks>>();

  /** What a leaf of a save holds. */
  read(save: Save, leaf: LeafEntry): Promise<LeafBlocks> {
    const reading = this.#leaves.get(leaf) ?? this.#readNow(save, leaf);
    this.#leaves.delete(leaf);
    this.#leaves.set(leaf, reading);
    for (const oldest of this.#leaves.keys()) {
      if (this.#leaves.size <= LEAVES_MAX) break;
      this.#leaves.delete(oldest);
    }
    return reading;
  }

  async #readNow(save: Save, leaf: LeafEntry): Promise<LeafBlocks> {
    try {
      return byRegion(await save.readStored(leaf));
    } catch (error) {
      // What cannot be read now may be read later.
      this.#leaves.delete(leaf);
      throw error;
    }
  }
}

function byRegion(blocks: readonly StoredBlock[]): LeafBlocks {
  const regions = new PlaceMap<StoredBlock[]>();
  for (const block of blocks) {
    const region: Place = regionOf(block.place);
    const others = regions.get(...region);
    if (others === undefined) regions.set(...region, [block]);
    else others.push(block);
  }
  return regions;
}
