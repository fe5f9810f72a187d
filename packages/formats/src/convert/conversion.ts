import { type Box, boxContains, type ChunkShape, clampInto, PlaceMap } from "@orthant/core";
import type { Disk } from "@orthant/disk";
import { chunkOfEntity } from "../polychora/leaves/leaf-partition.ts";
import type { SaveContent } from "../polychora/leaves/save-content.ts";
import type { EntityRecord } from "../polychora/records/entity-record.ts";
import type { LeafEntry } from "../polychora/records/leaf-entry.ts";
import type { BlockEntry } from "../polychora/records/prepared-blocks.ts";
import type { Save } from "../polychora/save.ts";
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
 * The content of a save in cells of its reader's choice, in the order of the given leaves, each cell once. `cellOf`
 * gives the cells that a leaf touches; together they cover it and do not overlap. A leaf that touches several cells is
 * read for each of them.
 */
export async function* contentByCell(
  content: SaveContent,
  leaves: AsyncIterable<LeafEntry> | Iterable<LeafEntry>,
  shape: ChunkShape,
  cellsOf: (leaf: Box) => Iterable<Box>,
  onLeaf?: () => void,
): AsyncGenerator<CellContent> {
  const done = new PlaceMap<true>();
  for await (const leaf of leaves) {
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
  for (const leaf of [...(await content.touching(cell))].reverse()) {
    for (const block of await content.readBlocks(leaf))
      if (boxContains(cell, block.place)) blocks.push(block);
    for (const entity of await content.readEntities(leaf)) {
      // An entity that strayed from its leaf stays with it.
      if (boxContains(cell, clampInto(leaf.cell, chunkOfEntity(entity, shape)))) entities.push(entity);
    }
  }
  return { cell, blocks, entities };
}
