import { type Box, boxContains, type ChunkShape, PlaceMap } from "@orthant/core";
import type { Disk } from "@orthant/disk";
import { chunkOfEntity } from "../polychora/leaves/leaf-partition.ts";
import type { SaveContent } from "../polychora/leaves/save-content.ts";
import type { EntityRecord } from "../polychora/records/entity-record.ts";
import type { BlockEntry } from "../polychora/records/prepared-blocks.ts";
import type { Save } from "../polychora/save.ts";
import { clampInto } from "../polychora/tree-index/cell.ts";
import type { ConversionLosses } from "./losses.ts";

/** What a conversion works with. */
export interface Conversion {
  readonly save: Save;
  /** `undefined` for one that only counts. */
  readonly target: Disk | undefined;
  readonly losses: ConversionLosses;
  readonly standIn: number;
  readonly options: { readonly onLeaf?: () => void };
}

/** How much was carried over. */
export interface ConversionCounts {
  readonly chunks: number;
  readonly entities: number;
  readonly players: number;
}

/** What lies in a cell. */
export interface CellContent {
  readonly cell: Box;
  readonly blocks: readonly BlockEntry[];
  readonly entities: readonly EntityRecord[];
}

/**
 * The content of a save in cells of its reader's choice, in the reverse order of the leaves, each cell once. `cellOf`
 * gives the cells that a leaf touches; together they cover it and do not overlap. A leaf that touches several cells is
 * read for each of them.
 */
export async function* contentByCell(
  content: SaveContent,
  shape: ChunkShape,
  cellsOf: (leaf: Box) => Iterable<Box>,
  onLeaf?: () => void,
): AsyncGenerator<CellContent> {
  const done = new PlaceMap<true>();
  // From the end, because of several entities with one id the original took the one of the last region.
  for (const leaf of [...content.leaves].reverse()) {
    for (const cell of cellsOf(leaf.cell)) {
      if (done.has(...cell.min)) continue;
      done.set(...cell.min, true);
      yield await readCell(content, shape, cell);
    }
    onLeaf?.();
  }
}

async function readCell(content: SaveContent, shape: ChunkShape, cell: Box): Promise<CellContent> {
  const blocks: BlockEntry[] = [];
  const entities: EntityRecord[] = [];
  for (const leaf of [...content.touching(cell)].reverse()) {
    for (const block of await content.readBlocks(leaf))
      if (boxContains(cell, block.place)) blocks.push(block);
    for (const entity of await content.readEntities(leaf)) {
      // An entity that strayed from its leaf stays with it.
      if (boxContains(cell, clampInto(leaf.cell, chunkOfEntity(entity, shape)))) entities.push(entity);
    }
  }
  return { cell, blocks, entities };
}
