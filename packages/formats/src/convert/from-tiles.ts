import {
  blockCatalogCodec,
  chunkFromVoxels,
  cubeAt,
  encode,
  floorDivide,
  PositionMap,
  TILE_CHUNKS,
} from "@orthant/core";
import type { Disk } from "@orthant/disk";
import {
  BulkSaveWriter,
  type ChunkEntry,
  type GlobalState,
  type LeafChange,
  plainDescription,
} from "@orthant/save";

import { encodeTileSave } from "../tilesave/save-text.ts";
import { TILE_BLOCKS, type TileSave } from "../tilesave/tile-save.ts";
import type { ConversionCounts } from "./conversion.ts";
import type { ConversionLosses } from "./losses.ts";

/** Key under which a world keeps the rest of a tile save besides its chunks. */
export const TILE_FACTS_KEY = "tilesave";
/** Edge, in chunks, of the cells in which a world is written. The writer splits those that are too large. */
const CELL_EDGE_CHUNKS = 8;

/** Writes the chunks of a tile save as a world. Everything else in it becomes an attachment. */
export async function convertFromTiles(
  save: TileSave,
  target: Disk | undefined,
  nowMs: number,
  losses: ConversionLosses,
): Promise<ConversionCounts> {
  const chunks = save.chunks ?? [];
  losses.add(
    "the terrain that the game makes",
    "chunks that are not in the save are air; the game would make them anew",
  );
  const writer = target && (await BulkSaveWriter.create(target, TILE_CHUNKS));
  try {
    await writer?.add(leavesOf(save));
    await writer?.finish({ nowMs, global: globalOf(save), players: [] });
  } finally {
    await writer?.close();
  }
  return { chunks: chunks.length, entities: 0, players: 0 };
}

function leavesOf({ chunks = [] }: TileSave): readonly LeafChange[] {
  const cells = new PositionMap<ChunkEntry[]>();
  for (const { x, y, tiles } of chunks) {
    const cell = [floorDivide(x, CELL_EDGE_CHUNKS), floorDivide(y, CELL_EDGE_CHUNKS), 0, 0] as const;
    const entry = { position: [x, y, 0, 0] as const, chunk: chunkFromVoxels(tiles) };
    const chunks = cells.get(...cell);
    if (chunks === undefined) cells.set(...cell, [entry]);
    else chunks.push(entry);
  }
  return Array.from(cells, ([[x, y], chunks]) => ({
    cell: cubeAt([x * CELL_EDGE_CHUNKS, y * CELL_EDGE_CHUNKS, 0, 0], CELL_EDGE_CHUNKS),
    chunks,
  }));
}

function globalOf(save: TileSave): GlobalState {
  const facts = encodeTileSave({ ...save, chunks: undefined });
  return {
    base: { kind: "empty" },
    worldSeed: 0n,
    generators: [],
    nextEntityId: 1n,
    playerEntityHints: [],
    description: {
      ...plainDescription(TILE_CHUNKS),
      blocks: encode(blockCatalogCodec, TILE_BLOCKS),
      attachments: [{ key: TILE_FACTS_KEY, value: facts }],
    },
  };
}
