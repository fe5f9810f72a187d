import { type Box, positionFrom, positionsLexicographic } from "@orthant/core";
import type { LeafChange, StoredPlayer } from "@orthant/save";
import {
  allLeaves,
  BulkSaveWriter,
  generatedChunks,
  PLAYER_CLASS,
  SaveContent,
  type StoredEntity,
} from "@orthant/save";
import { type Conversion, type ConversionCounts, contentByCell } from "./conversion.ts";
import type { ConversionLosses } from "./losses.ts";

/** Number of chunks collected before they are written; a region of the original has 256. */
const CHUNKS_PER_STEP = 1_024;

/** Writes a flat save as a tree. */
export async function convertToTree(conversion: Conversion): Promise<ConversionCounts> {
  const { save, target, losses, options } = conversion;
  const { global, flat } = save;
  const shape = global.description.chunkShape;
  const players = playersOnce(save.players, losses);
  const generated = generatedChunks(global);
  const writer = target && (await BulkSaveWriter.create(target, shape, { generated }));
  try {
    const seen = new Set<bigint>();
    const cellsOf = alignedCells(flat?.regionChunkEdge ?? 1);
    const counts = { chunks: 0, entities: 0, players: players.length };
    let batch: LeafChange[] = [];
    let batchChunks = 0;
    const content = new SaveContent(save);
    // In reverse: if several entities share an id, the original used the one in the last region.
    const leaves = (await allLeaves(content.index)).reverse();
    for await (const part of contentByCell(content, leaves, shape, cellsOf, options.onLeaf)) {
      const entities = part.entities.filter((entity) => isCarried(entity, seen, losses));
      counts.chunks += part.blocks.length;
      counts.entities += entities.length;
      batch.push({ cell: part.cell, blocks: part.blocks, entities });
      batchChunks += part.blocks.length;
      if (batchChunks < CHUNKS_PER_STEP) continue;
      await writer?.add(batch);
      batch = [];
      batchChunks = 0;
    }
    await writer?.add(batch);
    await writer?.finish({ nowMs: global.lastModifiedMs, global, players });
    return counts;
  } finally {
    await writer?.close();
  }
}

/** Returns the aligned cubes that a flat region intersects: one, if its edge is a power of two. */
function alignedCells(regionChunkEdge: number): (leaf: Box) => Iterable<Box> {
  const edge = 2 ** Math.ceil(Math.log2(regionChunkEdge));
  return function* ({ min, max }) {
    const numbers = {
      min: positionFrom((axis) => Math.floor(min[axis] / edge)),
      max: positionFrom((axis) => Math.ceil(max[axis] / edge)),
    };
    for (const number of positionsLexicographic(numbers)) {
      const corner = positionFrom((axis) => number[axis] * edge);
      yield { min: corner, max: positionFrom((axis) => corner[axis] + edge) };
    }
  };
}

/** If several players share an id, the last one wins. */
function playersOnce(players: readonly StoredPlayer[], losses: ConversionLosses): readonly StoredPlayer[] {
  const byId = new Map(players.map((player) => [player.playerId, player]));
  losses.add("players that were there twice", "the last one of an id is kept", players.length - byId.size);
  return [...byId.values()];
}

function isCarried(
  { entityId, entityClass }: StoredEntity,
  seen: Set<bigint>,
  losses: ConversionLosses,
): boolean {
  if (entityClass === PLAYER_CLASS) {
    losses.add("entities that are players", `players have a file of their own; first entity ${entityId}`);
    return false;
  }
  if (seen.has(entityId)) {
    losses.add("entities that were there twice", `the one of the last region is kept; first ${entityId}`);
    return false;
  }
  seen.add(entityId);
  return true;
}
