import { type Box, boxContains, type ChunkShape, clampInto, PositionMap } from "@orthant/core";
import { type ChunkEntry, chunkOfEntity, type LeafEntry, type StoredEntity } from "@orthant/save";
import type { SaveContent } from "@orthant/save/parts";

/** Options for converting. */
export interface ConvertOptions {
  /** Replaces blocks that the other format lacks. Default: 1. */
  readonly standInBlock?: number;
  /** Called after each leaf that is read. */
  readonly onLeaf?: () => void;
}

/** Amount of converted content. */
export interface ConversionCounts {
  readonly chunks: number;
  readonly entities: number;
  readonly players: number;
}

/** Content of a cell. */
export interface CellContent {
  readonly cell: Box;
  readonly chunks: readonly ChunkEntry[];
  readonly entities: readonly StoredEntity[];
}

/**
 * Yields the content of a save in cells of the caller's choice, in the order of `leaves`, each cell once.
 * `cellsOf` returns the cells that a leaf intersects; together they cover it without overlap. A leaf that
 * intersects several cells is read for each of them.
 */
export async function* contentByCell(
  content: SaveContent,
  leaves: AsyncIterable<LeafEntry> | Iterable<LeafEntry>,
  shape: ChunkShape,
  cellsOf: (leaf: Box) => Iterable<Box>,
  onLeaf?: () => void,
): AsyncGenerator<CellContent> {
  const done = new PositionMap<true>();
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
  const chunks: ChunkEntry[] = [];
  const entities: StoredEntity[] = [];
  for (const leaf of [...(await content.touching(cell))].reverse()) {
    for (const entry of await content.readChunks(leaf))
      if (boxContains(cell, entry.position)) chunks.push(entry);
    for (const entity of await content.readEntities(leaf)) {
      // An entity outside its leaf stays with it.
      if (boxContains(cell, clampInto(leaf.cell, chunkOfEntity(entity, shape)))) entities.push(entity);
    }
  }
  return { cell, chunks, entities };
}
