import { type Box, boxesIntersect, type Position, PositionMap, WHOLE_LATTICE } from "@orthant/core";
import type { StoredEntity } from "../codec/entity-record.ts";
import type { LeafEntry } from "../codec/leaf-entry.ts";
import type { BlockEntry } from "../codec/prepared-blocks.ts";
import { flatRegionCell, flatRegionOf } from "../flat/flat-regions.ts";
import type { Save } from "../read/save.ts";
import { LeafIndex } from "./leaf-index.ts";

/** Number of queries after which index parts that no recent query needs are unloaded. */
const QUESTIONS_REMEMBERED = 256;

/**
 * Content of a save of either dialect, leaf by leaf. Chunks that a flat save keeps in its global file appear
 * in the leaves at their positions. Only parts of the index around the latest queries stay in memory.
 */
export class SaveContent {
  readonly index: LeafIndex;
  readonly #save: Save;
  readonly #apart: PositionMap<BlockEntry[]>;
  #questions = 0;

  constructor(save: Save) {
    this.#save = save;
    const { flat, index } = save;
    const edge = flat?.regionChunkEdge ?? 1;
    this.#apart = blocksByRegion(flat?.globalBlocks ?? [], edge);
    // A flat index is entirely in memory.
    const missing = [...this.#apart.positions()].filter((region) => {
      return index.find(flatRegionCell(region, edge).min) === undefined;
    });
    this.index =
      missing.length === 0
        ? index
        : LeafIndex.of([
            ...index.touching(WHOLE_LATTICE),
            ...missing.map((region) => emptyLeaf(region, edge)),
          ]);
  }

  /** Yields every leaf, in index order. */
  all(): AsyncGenerator<LeafEntry> {
    return this.index.all();
  }

  /**
   * Returns the leaves that intersect a box of chunks. The cost depends on the result, not on the number of
   * leaves.
   */
  async touching(box: Box): Promise<readonly LeafEntry[]> {
    do await this.index.load(box);
    while (!this.index.isLoaded(box));
    if (++this.#questions % QUESTIONS_REMEMBERED === 0) {
      this.index.unload((cell) => boxesIntersect(cell, box));
    }
    return [...this.index.touching(box)];
  }

  /** Reads the overridden chunks of a leaf. */
  async readBlocks(leaf: LeafEntry): Promise<readonly BlockEntry[]> {
    const blocks = await this.#save.readBlocks(leaf);
    const edge = this.#save.flat?.regionChunkEdge;
    const apart = edge === undefined ? undefined : this.#apart.get(...flatRegionOf(leaf.cell.min, edge));
    if (apart === undefined) return blocks;
    // Rule S41: chunks in the global file take precedence over those in records.
    const merged = new PositionMap<BlockEntry>();
    for (const block of [...blocks, ...apart]) merged.set(...block.position, block);
    return [...merged.values()];
  }

  /** Reads the entities of a leaf. */
  readEntities(leaf: LeafEntry): Promise<readonly StoredEntity[]> {
    return this.#save.readEntities(leaf);
  }
}

function blocksByRegion(blocks: readonly BlockEntry[], edge: number): PositionMap<BlockEntry[]> {
  const regions = new PositionMap<BlockEntry[]>();
  for (const block of blocks) {
    const region = flatRegionOf(block.position, edge);
    const found = regions.get(...region);
    if (found === undefined) regions.set(...region, [block]);
    else found.push(block);
  }
  return regions;
}

function emptyLeaf(region: Position, edge: number): LeafEntry {
  return { cell: flatRegionCell(region, edge), blockRefs: [], entityRefs: [], chunks: 0, clocks: [] };
}
