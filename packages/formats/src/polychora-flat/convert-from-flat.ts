import { type Box, HYPERCUBE_CHUNKS, type Position } from "@orthant/core";
import {
  boxContains,
  clampInto,
  comparePositions,
  PositionMap,
  positionFrom,
  positionsLexicographic,
} from "@orthant/core/lattice";
import type { Disk } from "@orthant/disk";
import {
  BulkSaveWriter,
  type ChunkEntry,
  chunkOfEntity,
  type LeafChange,
  type LeafEntry,
  type StoredEntity,
  type StoredPlayer,
} from "@orthant/save";
import { generatedChunks, PLAYER_CLASS } from "@orthant/save/content";
import type { ConvertOptions } from "../format/losses.ts";
import { ConversionLosses, type ConversionReport } from "../format/losses.ts";
import type { FlatSave } from "./reader.ts";
import { flatRegionCube, flatRegionOf } from "./records.ts";

/** Number of chunks collected before they are written; a region of the original has 256. */
const CHUNKS_PER_BATCH = 1_024;

/**
 * Writes a flat save as an Orthant save to an empty disk. Without a disk, only reports what would be lost.
 * Converts one generation, as generation 0 of a new save, region by region: memory use depends on the index
 * and the largest region.
 */
export async function convertFlatSave(
  save: FlatSave,
  target: Disk | undefined,
  { onLeaf }: ConvertOptions = {},
): Promise<ConversionReport> {
  const { global } = save;
  const losses = new ConversionLosses();
  const players = playersOnce(save.players, losses);
  const shape = global.description.chunkShape;
  const generated = generatedChunks(global);
  const writer = target && (await BulkSaveWriter.create(target, shape, { generated }));
  try {
    const seen = new Set<bigint>();
    const counts = { chunks: 0, entities: 0, players: players.length };
    let batch: LeafChange[] = [];
    let batchChunks = 0;
    for await (const { entities: all, ...part } of contentByCube(save, onLeaf)) {
      const entities = all.filter((entity) => isCarried(entity, seen, losses));
      counts.chunks += part.chunks.length;
      counts.entities += entities.length;
      batch.push({ ...part, entities });
      batchChunks += part.chunks.length;
      if (batchChunks < CHUNKS_PER_BATCH) continue;
      await writer?.add(batch);
      batch = [];
      batchChunks = 0;
    }
    await writer?.add(batch);
    await writer?.finish({ nowMs: global.lastModifiedMs, global, players });
    return { ...counts, losses: losses.list() };
  } finally {
    await writer?.close();
  }
}

interface CubeContent {
  readonly cube: Box;
  readonly chunks: readonly ChunkEntry[];
  readonly entities: readonly StoredEntity[];
}

/**
 * Yields the content of a flat save in aligned cubes, each once. A region whose edge is a power of two is such
 * a cube; any other is read for each cube that it intersects. Starts with the last region: if several entities
 * share an id, the original used the one in the last region.
 */
async function* contentByCube(save: FlatSave, onLeaf?: () => void): AsyncGenerator<CubeContent> {
  const { regionChunkEdge } = save;
  const regions = regionsOf(save);
  const cubeEdge = 2 ** Math.ceil(Math.log2(regionChunkEdge));
  const done = new PositionMap<true>();
  const sorted = [...regions.values()].sort((a, b) => comparePositions(b.leaf.cube.min, a.leaf.cube.min));
  for (const { leaf } of sorted) {
    for (const number of numbersIn(leaf.cube, cubeEdge)) {
      if (done.has(...number)) continue;
      done.set(...number, true);
      yield await readCube(save, regions, flatRegionCube(number, cubeEdge));
    }
    onLeaf?.();
  }
}

/** A region, with the chunks that the global file has for it. */
interface Region {
  readonly leaf: LeafEntry;
  readonly globalChunks: ChunkEntry[];
}

function regionsOf({ leaves, globalChunks, regionChunkEdge }: FlatSave): PositionMap<Region> {
  const regions = new PositionMap<Region>();
  for (const leaf of leaves) {
    regions.set(...flatRegionOf(leaf.cube.min, regionChunkEdge), { leaf, globalChunks: [] });
  }
  for (const entry of globalChunks) {
    const at = flatRegionOf(entry.position, regionChunkEdge);
    const cube = flatRegionCube(at, regionChunkEdge);
    const leaf = { cube, chunkRefs: [], entityRefs: [], chunks: 0, clocks: [] };
    const region: Region = regions.get(...at) ?? { leaf, globalChunks: [] };
    region.globalChunks.push(entry);
    regions.set(...at, region);
  }
  return regions;
}

async function readCube(save: FlatSave, regions: PositionMap<Region>, cube: Box): Promise<CubeContent> {
  const chunks: ChunkEntry[] = [];
  const entities: StoredEntity[] = [];
  for (const number of [...numbersIn(cube, save.regionChunkEdge)].reverse()) {
    const region = regions.get(...number);
    if (region === undefined) continue;
    const { leaf, globalChunks } = region;
    // Rule S41: chunks in the global file take precedence over those in records.
    const merged = new PositionMap<ChunkEntry>();
    for (const entry of [...(await save.readChunks(leaf)), ...globalChunks])
      merged.set(...entry.position, entry);
    for (const entry of merged.values()) if (boxContains(cube, entry.position)) chunks.push(entry);
    for (const entity of await save.readEntities(leaf)) {
      // An entity outside its region stays with it.
      const chunk = clampInto(leaf.cube, chunkOfEntity(entity, HYPERCUBE_CHUNKS));
      if (boxContains(cube, chunk)) entities.push(entity);
    }
  }
  return { cube, chunks, entities };
}

/** Yields the numbers of the cubes with this edge that a box intersects. */
function numbersIn({ min, max }: Box, edge: number): Iterable<Position> {
  return positionsLexicographic({
    min: positionFrom((axis) => Math.floor(min[axis] / edge)),
    max: positionFrom((axis) => Math.ceil(max[axis] / edge)),
  });
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
