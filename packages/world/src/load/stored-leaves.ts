import { type Position, PositionMap, regionOf } from "@orthant/core";
import type { LeafEntry, Save, StoredBlock } from "@orthant/save";

/** Number of leaves cached in stored form: neighbouring regions often lie in the same leaf. */
const LEAVES_MAX = 64;

/** The stored blocks of a leaf, by region. */
export type LeafBlocks = PositionMap<readonly StoredBlock[]>;

/** Reads leaves, each once while it is in use, and caches the most recent ones. */
export class StoredLeaves {
  /** In order of last use. */
  readonly #leaves = new Map<LeafEntry, Promise<LeafBlocks>>();

  /** Returns the stored blocks of a leaf. */
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
      // A later attempt may succeed.
      this.#leaves.delete(leaf);
      throw error;
    }
  }
}

function byRegion(blocks: readonly StoredBlock[]): LeafBlocks {
  const regions = new PositionMap<StoredBlock[]>();
  for (const block of blocks) {
    const region: Position = regionOf(block.position);
    const others = regions.get(...region);
    if (others === undefined) regions.set(...region, [block]);
    else others.push(block);
  }
  return regions;
}
