import {
  AIR,
  type BlockCatalog,
  type Chunk,
  type ChunkShape,
  dimensionsOf,
  OrthantError,
  type Position,
} from "@orthant/core";
import { I32_MAX, I32_MIN, U8_MAX, U16_MAX } from "@orthant/core/bytes";
import { blockLabel } from "@orthant/core/chunk";
import { floorDivide, getOrAdd, PositionMap } from "@orthant/core/lattice";
import type { Disk } from "@orthant/disk";
import { type ChunkEntry, catalogOf, type LeafEntry, type Save } from "@orthant/save";
import { type ConversionLosses, noteLostData } from "../format/losses.ts";
import { formatPosition } from "../format/text.ts";
import {
  colourOf,
  findFacts,
  isFacts,
  type MarsMinerFacts,
  type MarsMinerLocations,
} from "./convert-from.ts";
import { DEFAULT_CUBE_SIZE } from "./layout.ts";
import { buildOctree, type Octree } from "./octree.ts";
import { EMPTY_BLOCK_NAME, requireCubeSize } from "./save.ts";
import { msOfTicks, ticksOfMs } from "./state.ts";
import { createMarsMiner, type MarsMinerCommit } from "./writer.ts";

/** Inputs of a conversion to MarsMiner. */
interface ToMarsMiner {
  readonly save: Save;
  /** `undefined` for a dry run. */
  readonly target: Disk | undefined;
  readonly losses: ConversionLosses;
  readonly cubeSize: number | undefined;
  readonly locations: MarsMinerLocations | undefined;
  readonly onLeaf: (() => void) | undefined;
}

/** Number of leaves kept in memory because the next column may need them. */
const LEAVES_HELD = 64;

/** Writes a tree as a MarsMiner save, column by column. Returns the number of Orthant chunks. */
export async function convertToMarsMiner(conversion: ToMarsMiner): Promise<number> {
  const { save, target, losses, onLeaf } = conversion;
  const { description } = save.global;
  const facts = findFacts(description.attachments);
  const cubeSize = requireCubeSize(conversion.cubeSize ?? facts?.cubeSize ?? DEFAULT_CUBE_SIZE);
  const locations = conversion.locations ?? facts?.locations ?? "blocks";
  requireCubes(description.chunkShape, cubeSize);
  noteLostFacts(save, losses);
  const survey = await surveyColumns(save, description.chunkShape, cubeSize, locations, losses, onLeaf);
  const types = new BlockTypes(catalogOf(description), survey.blocks, losses);
  const writer = target && (await createMarsMiner(target));
  try {
    const columns = new ColumnReader(save, description.chunkShape, cubeSize);
    for (const column of writer === undefined ? [] : survey.columns) {
      const octrees = columnOctrees(
        await columns.read(column),
        column,
        description.chunkShape,
        cubeSize,
        types,
      );
      const scale = locations === "blocks" ? cubeSize : 1;
      await writer?.putChunk({ x: column.x * scale, z: column.z * scale, blockTypes: types.names, octrees });
    }
    await writer?.commit(commitOf(save, facts));
    return survey.chunks;
  } finally {
    await writer?.close();
  }
}

/** A non-empty column of cubes. */
interface Column {
  /** In cubes. */
  readonly x: number;
  readonly z: number;
  /** Number of cubes, from 0 up. */
  readonly height: number;
}

interface Survey {
  readonly columns: readonly Column[];
  readonly blocks: ReadonlySet<number>;
  readonly chunks: number;
}

/** Finds the columns, and notes what fits in none. */
async function surveyColumns(
  content: Save,
  { extents }: ChunkShape,
  cubeSize: number,
  locations: MarsMinerLocations,
  losses: ConversionLosses,
  onLeaf: (() => void) | undefined,
): Promise<Survey> {
  const perCube = cubeSize / extents[0];
  const scale = locations === "blocks" ? cubeSize : 1;
  const columns = new Map<string, { x: number; z: number; height: number }>();
  const blocks = new Set<number>();
  let chunks = 0;
  for await (const leaf of content.index.all()) {
    losses.add("entities", "MarsMiner saves none", (await content.readEntities(leaf)).length);
    const stored = await content.readChunks(leaf);
    noteLostData(stored, losses);
    for (const { position, chunk } of stored) {
      const [x, y, z] = [0, 1, 2].map((axis) => floorDivide(position[axis as 0 | 1 | 2], perCube)) as [
        number,
        number,
        number,
      ];
      if (position[3] !== 0) losses.add("chunks beside the first on the fourth axis", `first [${position}]`);
      else if (y < 0 || y >= U8_MAX) losses.add("chunks below 0, or too high", `first [${position}]`);
      else if (!isI32(x * scale) || !isI32(z * scale))
        losses.add("chunks too far away", `first [${position}]`);
      else {
        const column = getOrAdd(columns, `${x},${z}`, () => ({ x, z, height: 0 }));
        column.height = Math.max(column.height, y + 1);
        for (const block of chunk.blocks()) blocks.add(block);
        chunks++;
      }
    }
    onLeaf?.();
  }
  return { columns: [...columns.values()], blocks, chunks };
}

/** Reads the chunks of a column. Keeps the leaves that were read last. */
class ColumnReader {
  readonly #content: Save;
  readonly #perCube: number;
  readonly #held = new Map<LeafEntry, readonly ChunkEntry[]>();

  constructor(content: Save, { extents }: ChunkShape, cubeSize: number) {
    this.#content = content;
    this.#perCube = cubeSize / extents[0];
  }

  async read({ x, z, height }: Column): Promise<PositionMap<Chunk>> {
    const edge = this.#perCube;
    const min: Position = [x * edge, 0, z * edge, 0];
    const max: Position = [min[0] + edge, height * edge, min[2] + edge, 1];
    const chunks = new PositionMap<Chunk>();
    for (const leaf of await this.#content.leavesIn({ min, max })) {
      for (const { position, chunk } of await this.#chunksOf(leaf)) {
        if (position.every((at, axis) => at >= (min[axis] as number) && at < (max[axis] as number))) {
          chunks.set(...position, chunk);
        }
      }
    }
    return chunks;
  }

  async #chunksOf(leaf: LeafEntry): Promise<readonly ChunkEntry[]> {
    const held = this.#held.get(leaf);
    if (held !== undefined) return held;
    const chunks = await this.#content.readChunks(leaf);
    const [oldest] = this.#held.keys();
    if (this.#held.size >= LEAVES_HELD && oldest !== undefined) this.#held.delete(oldest);
    this.#held.set(leaf, chunks);
    return chunks;
  }
}

function columnOctrees(
  chunks: PositionMap<Chunk>,
  { x, z, height }: Column,
  shape: ChunkShape,
  cubeSize: number,
  types: BlockTypes,
): readonly Octree[] {
  const edge = shape.extents[0];
  const perCube = cubeSize / edge;
  return Array.from({ length: height }, (_, level) =>
    buildOctree(cubeSize, (cube) => {
      if (cube.edge > edge) return undefined;
      const at = (coordinate: number): number => Math.floor(coordinate / edge);
      const chunk = chunks.get(
        x * perCube + at(cube.x),
        level * perCube + at(cube.y),
        z * perCube + at(cube.z),
        0,
      );
      const uniform = chunk === undefined ? AIR : chunk.uniformBlock;
      return uniform === undefined ? types.idsOf(chunk as Chunk) : types.idOf(uniform);
    }),
  );
}

/** One list of block types for the whole world: the blocks it names, and those it uses. */
class BlockTypes {
  readonly names: readonly string[];
  readonly #ids = new Uint16Array(U16_MAX + 1);

  constructor(catalog: BlockCatalog, used: ReadonlySet<number>, losses: ConversionLosses) {
    const unnamed = [...used].filter((id) => catalog.byId(id) === undefined).sort((a, b) => a - b);
    losses.add(
      "blocks without a name",
      `they are called by their numbers; first ${unnamed[0]}`,
      unnamed.length,
    );
    const named = new Set(catalog.types.map(({ id }) => id));
    const combinations = [...used].filter((id) => catalog.byId(id) !== undefined && !named.has(id));
    const ids = [...named, ...combinations.sort((a, b) => a - b), ...unnamed];
    for (const [typeId, block] of ids.entries()) this.#ids[block] = typeId;
    this.names = ids.map((id) =>
      id === AIR ? EMPTY_BLOCK_NAME : (blockLabel(catalog, id) ?? `material ${id}`),
    );
    const looks = catalog.types.filter(
      ({ id, name, colour, solid }) => id !== AIR && (colour !== colourOf(name) || !solid),
    );
    losses.add("colours of blocks, and which are solid", "names are kept", looks.length);
    if (catalog.byName(EMPTY_BLOCK_NAME) !== undefined) {
      losses.add(`the block named ${EMPTY_BLOCK_NAME}`, "MarsMiner calls nothing so; it is air from then on");
    }
  }

  idOf(block: number): number {
    return this.#ids[block] as number;
  }

  idsOf(chunk: Chunk): Uint16Array {
    const voxels = chunk.voxels();
    for (let cell = 0; cell < voxels.length; cell++) voxels[cell] = this.idOf(voxels[cell] as number);
    return voxels;
  }
}

function requireCubes({ extents }: ChunkShape, cubeSize: number): void {
  const [edge] = extents;
  const isCube = extents[1] === edge && extents[2] === edge && extents[3] === 1;
  if (isCube && Number.isInteger(Math.log2(edge)) && edge <= cubeSize) return;
  const found = extents.join(" x ");
  const detail = `chunks of ${found} voxels; MarsMiner needs cubes that halve, up to ${cubeSize} voxels`;
  throw new OrthantError("ORT_DIALECT", detail);
}

function noteLostFacts({ global, players }: Save, losses: ConversionLosses): void {
  const { chunkShape, spawn, namedGenerations, attachments, edits, clockEpoch } = global.description;
  if (global.base.kind !== "empty") {
    losses.add("the generator", "untouched space is left out, and air where a cube is touched in part");
  }
  if (spawn.some((coordinate) => coordinate !== 0))
    losses.add("the spawn point", formatPosition(spawn, dimensionsOf(chunkShape)));
  losses.add("players", "MarsMiner saves none", players.length);
  losses.add("named generations", "one generation is converted", namedGenerations.length);
  losses.add(
    "attachments",
    "what programs kept with the world",
    attachments.filter((each) => !isFacts(each)).length,
  );
  losses.add("last edits of clients", "a client may make its last edit twice", edits.length);
  if (clockEpoch > 0) losses.add("clocks of regions", "clients fetch all regions again");
}

function commitOf({ global }: Save, facts: MarsMinerFacts | undefined): MarsMinerCommit {
  const { name } = global.description;
  const isUnchanged = facts !== undefined && Math.max(0, msOfTicks(facts.ticks)) === global.lastModifiedMs;
  return {
    ticks: isUnchanged ? facts.ticks : ticksOfMs(global.lastModifiedMs),
    name: name === "" && facts?.hasName !== true ? undefined : name,
  };
}

function isI32(value: number): boolean {
  return value >= I32_MIN && value <= I32_MAX;
}
