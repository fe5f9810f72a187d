import {
  blockCatalogCodec,
  bytesEqual,
  encode,
  isOrthantError,
  OrthantError,
  positionsEqual,
  TILE_CHUNKS,
  type TileChunk,
} from "@orthant/core";
import type { Disk } from "@orthant/disk";
import type { Save, WorldDescription } from "@orthant/save";
import { SaveContent } from "@orthant/save/parts";

import { writeTileSave } from "../tilesave/files.ts";
import { decodeTileSave } from "../tilesave/save-text.ts";
import { EMPTY_TILE_SAVE, TILE_BLOCKS, TILE_SAVE_CHUNKS_MAX, type TileSave } from "../tilesave/tile-save.ts";
import type { ConversionCounts } from "./conversion.ts";
import { TILE_FACTS_KEY } from "./from-tiles.ts";
import type { ConversionLosses } from "./losses.ts";
import { noteLostFacts } from "./lost-facts.ts";

/** Writes the edited chunks of a world as a tile save. */
export async function convertToTiles(
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
  const content = new SaveContent(save);
  for await (const leaf of content.all()) {
    for (const { position, chunk } of await content.readChunks(leaf)) {
      const [x, y, z, w] = position;
      if (z === 0 && w === 0) chunks.push({ x, y, tiles: chunk.voxels() });
      else losses.add("chunks outside of the plane", `z and w are 0 in a tile save; first [${position}]`);
    }
    const entities = await content.readEntities(leaf);
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
