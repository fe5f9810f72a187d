import { chunkFromVoxels, isOrthantError, OrthantError, TILE_CHUNKS } from "@orthant/core";
import { callback, checkedOptions, requireObject, requireWhole } from "@orthant/core/arguments";
import { bytesEqual, encode } from "@orthant/core/bytes";
import { blockCatalogCodec, type TileChunk } from "@orthant/core/chunk";
import { positionsEqual } from "@orthant/core/lattice";
import type { Disk } from "@orthant/disk";
import {
  BulkSaveWriter,
  type GlobalState,
  requireSave,
  type Save,
  type WorldDescription,
} from "@orthant/save";
import { requireTarget } from "../format/checked-arguments.ts";
import type { ConversionCounts } from "../format/losses.ts";
import { ConversionLosses, type ConversionReport, noteLostData, noteLostFacts } from "../format/losses.ts";
import { emptyGlobal, leavesOfChunks } from "../format/new-world.ts";
import { writeTileSave } from "./files.ts";
import { decodeTileSave, encodeTileSave } from "./save-text.ts";
import { EMPTY_TILE_SAVE, TILE_BLOCKS, TILE_SAVE_CHUNKS_MAX, type TileSave } from "./tile-save.ts";

/**
 * Writes a tile save as a world to an empty disk. Without a disk, only reports what would be lost. The world
 * keeps the rest of the save besides its chunks, so that {@link exportTileSave} restores it.
 */
export async function importTileSave(
  save: TileSave,
  target: Disk | undefined,
  nowMs: number,
): Promise<ConversionReport> {
  requireObject("save", save, "it is a TileSave");
  requireTarget(target);
  requireWhole("nowMs", nowMs, 0, Number.MAX_SAFE_INTEGER);
  const losses = new ConversionLosses();
  const counts = await convertFromTiles(save, target, nowMs, losses);
  return { ...counts, losses: losses.list() };
}

/**
 * Writes a world of tiles as a tile save. Without a disk, only reports what would be lost. Throws
 * `ORT_DIALECT` for a world whose chunks are not 32 x 32 tiles, `ORT_LIMIT` for one with more chunks than a
 * tile save can have.
 */
export async function exportTileSave(
  save: Save,
  target: Disk | undefined,
  options: { readonly onLeaf?: () => void } = {},
): Promise<ConversionReport> {
  requireSave("save", save);
  requireTarget(target);
  const { onLeaf } = checkedOptions("the options", options, { onLeaf: callback<() => void> });
  const losses = new ConversionLosses();
  const counts = await convertToTiles(save, target, losses, onLeaf);
  return { ...counts, losses: losses.list() };
}

/** Key under which a world keeps the rest of a tile save besides its chunks. */
const TILE_FACTS_KEY = "tilesave";

/** Writes the chunks of a tile save as a world. Everything else in it becomes an attachment. */
async function convertFromTiles(
  save: TileSave,
  target: Disk | undefined,
  nowMs: number,
  losses: ConversionLosses,
): Promise<ConversionCounts> {
  const chunks = save.chunks ?? [];
  losses.add(
    "the terrain that the game makes",
    "chunks that are not in the save are air; the game would generate them",
  );
  const writer = target && (await BulkSaveWriter.create(target, TILE_CHUNKS));
  try {
    const entries = chunks.map(({ x, y, tiles }) => ({
      position: [x, y, 0, 0] as const,
      chunk: chunkFromVoxels(tiles),
    }));
    await writer?.add(leavesOfChunks(entries));
    await writer?.finish({ nowMs, global: globalOf(save), players: [] });
  } finally {
    await writer?.close();
  }
  return { chunks: chunks.length, entities: 0, players: 0 };
}

function globalOf(save: TileSave): GlobalState {
  const facts = encodeTileSave({ ...save, chunks: undefined });
  return emptyGlobal(TILE_CHUNKS, {
    blocks: encode(blockCatalogCodec, TILE_BLOCKS),
    attachments: [{ key: TILE_FACTS_KEY, value: facts }],
  });
}

/** Writes the edited chunks of a world as a tile save. */
async function convertToTiles(
  save: Save,
  target: Disk | undefined,
  losses: ConversionLosses,
  onLeaf?: () => void,
): Promise<ConversionCounts> {
  const { global, index, players } = save;
  const { description } = global;
  if (!positionsEqual(description.chunkShape.extents, TILE_CHUNKS.extents)) {
    const found = description.chunkShape.extents.join(" x ");
    throw new OrthantError("ORT_DIALECT", `chunks of ${found} voxels, where a tile save has 32 x 32`);
  }
  const facts = factsOf(description);
  noteLostFacts({ index, global: { ...global, description: withoutTileFacts(description) } }, losses);
  losses.add("players", "a tile save has one player, without a place", players.length);
  if (global.base.kind !== "empty") {
    losses.add("the generator", "the game fills untouched space with terrain of its own");
  }
  const chunks: TileChunk[] = [];
  for await (const leaf of save.index.all()) {
    const stored = await save.readChunks(leaf);
    noteLostData(stored, losses);
    for (const { position, chunk } of stored) {
      const [x, y, z, w] = position;
      if (z === 0 && w === 0) chunks.push({ x, y, tiles: chunk.voxels() });
      else losses.add("chunks outside of the plane", `z and w are 0 in a tile save; first [${position}]`);
    }
    const entities = await save.readEntities(leaf);
    losses.add("entities", "a tile save has none", entities.length);
    if (chunks.length > TILE_SAVE_CHUNKS_MAX) {
      throw new OrthantError("ORT_LIMIT", `more than ${TILE_SAVE_CHUNKS_MAX} chunks, which no tile save has`);
    }
    onLeaf?.();
  }
  if (target !== undefined) await writeTileSave(target, { ...facts, chunks });
  return { chunks: chunks.length, entities: 0, players: 0 };
}

/** Returns the facts that the world kept of its original tile save. */
function factsOf({ attachments }: WorldDescription): TileSave {
  const kept = attachments.find(({ key }) => key === TILE_FACTS_KEY);
  if (kept === undefined) return EMPTY_TILE_SAVE;
  try {
    return decodeTileSave(kept.value, TILE_FACTS_KEY);
  } catch (error) {
    // Another program uses the same key. The world does not depend on it.
    if (isOrthantError(error)) return EMPTY_TILE_SAVE;
    throw error;
  }
}

/** Returns the description without the parts that a tile save can hold. */
function withoutTileFacts(description: WorldDescription): WorldDescription {
  const { blocks, attachments } = description;
  const isKnown = bytesEqual(blocks, encode(blockCatalogCodec, TILE_BLOCKS));
  return {
    ...description,
    blocks: isKnown ? new Uint8Array(0) : blocks,
    attachments: attachments.filter(({ key }) => key !== TILE_FACTS_KEY),
  };
}
