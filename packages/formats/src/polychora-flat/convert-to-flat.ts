import {
  type Box,
  type Chunk,
  chunkFromVoxels,
  HYPERCUBE_CHUNKS,
  isOrthantError,
  OrthantError,
  type Position,
} from "@orthant/core";
import { U8_MAX } from "@orthant/core/bytes";
import {
  FLAT_DEFAULTS,
  type FlatParameters,
  flatGenerator,
  GeneratorRef,
  parametersOf,
} from "@orthant/core/generate";
import { boxContains, boxContainsBox, clampInto, PositionMap } from "@orthant/core/lattice";
import type { Disk } from "@orthant/disk";
import {
  type BaseWorld,
  type ChunkEntry,
  chunkOfEntity,
  DEFAULT_LIMITS,
  type GlobalState,
  type Save,
  type StoredEntity,
  type StoredPlayer,
} from "@orthant/save";
import type { ConvertOptions } from "../format/losses.ts";
import { ConversionLosses, type ConversionReport, noteLostData, noteLostFacts } from "../format/losses.ts";
import { FLAT_CLASSES, FLAT_KINDS, flatRegionCube, flatRegionOf } from "./records.ts";
import { FlatSaveWriter, regionsOf } from "./writer.ts";

/** A power of two, so that each tree leaf lies in one region or consists of whole regions. */
const EDGE = DEFAULT_LIMITS.regionChunkEdge;

/**
 * Writes a save as a flat one, which the original program opens, to an empty disk. Without a disk, only
 * reports what would be lost. Converts one generation, leaf by leaf: memory use depends on the index and the
 * largest leaf. Throws `ORT_DIALECT` for a chunk shape that the format does not support.
 */
export async function convertToFlat(
  save: Save,
  target: Disk | undefined,
  { standInBlock = 1, onLeaf }: ConvertOptions = {},
): Promise<ConversionReport> {
  const losses = new ConversionLosses();
  const { global } = save;
  const { chunkShape } = global.description;
  if (chunkShape.extents.some((extent, axis) => extent !== HYPERCUBE_CHUNKS.extents[axis])) {
    const found = chunkShape.extents.join(" x ");
    throw new OrthantError("ORT_DIALECT", `chunks of ${found} voxels, where a flat save has 8 x 8 x 8 x 8`);
  }
  noteLostFacts(save, losses);
  const base = flatBase(global, losses);
  const players = flatPlayers(save.players, losses);
  const writer = target && (await FlatSaveWriter.create(target));
  try {
    const counts = { chunks: 0, entities: 0, players: players.length };
    for await (const part of contentByCube(save, onLeaf)) {
      const chunkOf = (entity: StoredEntity): Position =>
        clampInto(part.cube, chunkOfEntity(entity, HYPERCUBE_CHUNKS));
      for (const region of regionsOf(part, EDGE, chunkOf)) {
        noteLostData(region.chunks, losses);
        const chunks = region.chunks.map((entry) => flatChunk(entry, standInBlock, losses));
        const entities = region.entities.filter((entity) => isCarried(entity, losses));
        counts.chunks += chunks.length;
        counts.entities += entities.length;
        await writer?.add([{ region: region.region, chunks, entities }]);
      }
    }
    const { worldSeed, nextEntityId, playerEntityHints, lastModifiedMs: nowMs } = global;
    await writer?.finish({ base, worldSeed, nextEntityId, playerEntityHints, players, nowMs });
    return { ...counts, losses: losses.list() };
  } finally {
    await writer?.close();
  }
}

function flatChunk({ position, chunk }: ChunkEntry, standIn: number, losses: ConversionLosses): ChunkEntry {
  if (chunk.blocks().every((block) => block <= U8_MAX)) return { position, chunk: chunk.withoutData() };
  losses.add("chunks with blocks above 255", `these voxels become block ${standIn}; first [${position}]`);
  return { position, chunk: withoutWideBlocks(chunk, standIn) };
}

function withoutWideBlocks(chunk: Chunk, standIn: number): Chunk {
  return chunkFromVoxels(chunk.voxels().map((block) => (block > U8_MAX ? standIn : block)));
}

function isCarried({ entityId, entityClass, kind }: StoredEntity, losses: ConversionLosses): boolean {
  if (entityClass < FLAT_CLASSES && kind < FLAT_KINDS) return true;
  losses.add(
    "entities of other classes or kinds",
    `the original knows classes below ${FLAT_CLASSES} and kinds below ${FLAT_KINDS}; first entity ${entityId}`,
  );
  return false;
}

/** Returns the base of a flat save: nothing, or the original's floor. */
function flatBase(global: GlobalState, losses: ConversionLosses): BaseWorld {
  const { base, generators } = global;
  if (base.kind === "empty") return base;
  const floor = base.kind === "flatFloor" ? { ...FLAT_DEFAULTS, block: base.block } : floorOf(global);
  if (floor?.thickness === 0) return { kind: "empty" };
  const isKnown = floor?.top === FLAT_DEFAULTS.top && floor.thickness === FLAT_DEFAULTS.thickness;
  if (isKnown && floor.block <= U8_MAX) return { kind: "flatFloor", block: floor.block };
  const names = generators.map(({ generatorId }) => generatorId).join(", ");
  losses.add("the generator", `untouched space becomes air; it was made by ${names || "a floor"}`);
  return { kind: "empty" };
}

/** Returns the players without the fields that the original lacks. */
function flatPlayers(players: readonly StoredPlayer[], losses: ConversionLosses): readonly StoredPlayer[] {
  const count = (isLost: (player: StoredPlayer) => boolean): number => players.filter(isLost).length;
  losses.add(
    "names of players",
    "players keep their ids",
    count(({ name }) => name !== undefined),
  );
  losses.add(
    "keys of players",
    "players cannot prove who they are",
    count(({ authKey }) => authKey.length > 0),
  );
  losses.add(
    "metadata of players",
    "keys and values",
    count(({ metadata }) => metadata.length > 0),
  );
  return players.map((player) => ({ ...player, name: undefined, authKey: new Uint8Array(0), metadata: [] }));
}

/** Returns the parameters of a flat floor world; `undefined` for any other. */
function floorOf({ generators }: GlobalState): FlatParameters | undefined {
  const [first] = generators;
  if (first?.generatorId !== flatGenerator.id || generators.length !== 1) return undefined;
  const { generatorId, params, seed, versionHash } = first;
  try {
    return parametersOf(flatGenerator, new GeneratorRef(generatorId, params, seed, versionHash));
  } catch (error) {
    // A floor of an unknown version may be anything.
    if (isOrthantError(error)) return undefined;
    throw error;
  }
}

/** Content of a cube. */
interface CubeContent {
  readonly cube: Box;
  readonly chunks: readonly ChunkEntry[];
  readonly entities: readonly StoredEntity[];
}

/**
 * Yields the content of a save in the order of its leaves: a leaf if it contains whole regions, else the region around it
 * with all leaves in it.
 */
async function* contentByCube(save: Save, onLeaf?: () => void): AsyncGenerator<CubeContent> {
  const done = new PositionMap<true>();
  for await (const leaf of save.index.all()) {
    const region = flatRegionCube(flatRegionOf(leaf.cube.min, EDGE), EDGE);
    const cube = boxContainsBox(leaf.cube, region) ? leaf.cube : region;
    if (!done.has(...cube.min)) {
      done.set(...cube.min, true);
      yield await readCube(save, cube);
    }
    onLeaf?.();
  }
}

async function readCube(save: Save, cube: Box): Promise<CubeContent> {
  const chunks: ChunkEntry[] = [];
  const entities: StoredEntity[] = [];
  for (const leaf of [...(await save.leavesIn(cube))].reverse()) {
    for (const entry of await save.readChunks(leaf))
      if (boxContains(cube, entry.position)) chunks.push(entry);
    for (const entity of await save.readEntities(leaf)) {
      // An entity outside its leaf stays with it.
      if (boxContains(cube, clampInto(leaf.cube, chunkOfEntity(entity, HYPERCUBE_CHUNKS))))
        entities.push(entity);
    }
  }
  return { cube, chunks, entities };
}
