import {
  AIR,
  BlockCatalog,
  type Chunk,
  type ChunkShape,
  CUBE_CHUNKS,
  chunkFromVoxels,
  chunkShape,
  isOrthantError,
  OrthantError,
  type Position,
  uniformChunk,
} from "@orthant/core";
import { printableName } from "@orthant/core/arguments";
import {
  type Codec,
  crc32,
  decode,
  encode,
  encodeUtf8,
  I32_MAX,
  I32_MIN,
  U16_MAX,
} from "@orthant/core/bytes";
import { BLOCK_NAME_LENGTH_MAX, blockCatalogCodec, type NewBlockType } from "@orthant/core/chunk";
import type { Disk } from "@orthant/disk";
import { type Attachment, BulkSaveWriter, type ChunkEntry, type LeafChange } from "@orthant/save";
import type { ConversionLosses } from "../format/losses.ts";
import { emptyGlobal } from "../format/new-world.ts";
import { type Octree, octreeCubeContent } from "./octree.ts";
import { blockNames, EMPTY_BLOCK_NAME, type MarsMinerSave } from "./save.ts";
import { type MarsMinerChunk, type MarsMinerChunkEntry, type MarsMinerState, msOfTicks } from "./state.ts";

/** Inputs of a conversion from MarsMiner. */
interface FromMarsMiner {
  readonly save: MarsMinerSave;
  readonly state: MarsMinerState;
  /** `undefined` for a dry run. */
  readonly target: Disk | undefined;
  readonly losses: ConversionLosses;
  readonly locations: MarsMinerLocations | undefined;
  readonly onChunk: (() => void) | undefined;
}

/** Edge, in chunks, of the cells that are written together. */
const CELL_CHUNKS = 4;
/** Maximum number of Orthant chunks: MarsMiner chunks may be shared, so a small save may be a huge world. */
const CHUNKS_MAX = 64_000_000;
const NAME_BYTES_MAX = 4_096;

/** Writes a state of a MarsMiner save as a tree, column by column. Returns the number of chunks. */
export async function convertFromMarsMiner(conversion: FromMarsMiner): Promise<number> {
  const { save, state, target, losses } = conversion;
  const locations = conversion.locations ?? locationsOf(state, save.cubeSize);
  const shape = shapeOf(save.cubeSize);
  const blocks = new BlockNumbers(losses);
  const writer = target && (await BulkSaveWriter.create(target, shape));
  try {
    let chunks = 0;
    for (const entry of chunksOnce(state, losses)) {
      const column = columnOf(entry, save.cubeSize, locations);
      const content = await save.readChunk(entry);
      noteLosses(content, entry, losses);
      if (column === undefined) losses.add("chunks beyond the lattice", `first ${entry.x}, ${entry.z}`);
      else {
        for (const leaf of leavesOf(content, column, save.cubeSize, shape, blocks)) {
          chunks += leaf.chunks?.length ?? 0;
          if (chunks > CHUNKS_MAX) throw new OrthantError("ORT_LIMIT", `more than ${CHUNKS_MAX} chunks`);
          await writer?.add([leaf]);
        }
      }
      conversion.onChunk?.();
    }
    const name = nameOf(state, losses);
    const facts = {
      cubeSize: save.cubeSize,
      locations,
      ticks: state.ticks,
      hasName: state.name !== undefined,
    };
    await writer?.finish({
      nowMs: Math.max(0, msOfTicks(state.ticks)),
      players: [],
      global: emptyGlobal(shape, {
        name,
        blocks: blocks.catalog(),
        attachments: [{ key: KEY, value: encode(factsCodec, facts) }],
      }),
    });
    return chunks;
  } finally {
    await writer?.close();
  }
}

/** Returns the shape of the Orthant chunks that a cube is cut into. */
function shapeOf(cubeSize: number): ChunkShape {
  const edge = Math.min(CUBE_CHUNKS.extents[0], cubeSize);
  return chunkShape([edge, edge, edge, 1]);
}

/**
 * The game counts in blocks, so positions are multiples of the cube size. If one is not, they must be chunks.
 */
function locationsOf({ chunks }: MarsMinerState, cubeSize: number): MarsMinerLocations {
  return chunks.every(({ x, z }) => x % cubeSize === 0 && z % cubeSize === 0) ? "blocks" : "chunks";
}

/** If several chunks share a position, the last one wins. */
function chunksOnce({ chunks }: MarsMinerState, losses: ConversionLosses): Iterable<MarsMinerChunkEntry> {
  const byPosition = new Map(chunks.map((entry) => [`${entry.x},${entry.z}`, entry]));
  losses.add(
    "chunks that were there twice",
    "the last one of a place is kept",
    chunks.length - byPosition.size,
  );
  return byPosition.values();
}

/** Returns the corner of a column in cubes; `undefined` if it is outside the lattice. */
function columnOf(
  { x, z }: MarsMinerChunkEntry,
  cubeSize: number,
  locations: MarsMinerLocations,
): { readonly x: number; readonly z: number } | undefined {
  const divisor = locations === "blocks" ? cubeSize : 1;
  const cubes = { x: x / divisor, z: z / divisor };
  if (!Number.isInteger(cubes.x) || !Number.isInteger(cubes.z)) {
    const detail = `the chunk at ${x}, ${z} is not at a multiple of ${cubeSize}, so places are not in blocks`;
    throw new OrthantError("ORT_DIALECT", detail);
  }
  const perCube = cubeSize / shapeOf(cubeSize).extents[0];
  const fits = (cube: number): boolean => cube * perCube >= I32_MIN && (cube + 1) * perCube - 1 <= I32_MAX;
  return fits(cubes.x) && fits(cubes.z) ? cubes : undefined;
}

function noteLosses(content: MarsMinerChunk, { x, z }: MarsMinerChunkEntry, losses: ConversionLosses): void {
  const at = `first in the chunk at ${x}, ${z}`;
  if (content.octrees.length === 0) losses.add("chunks without octrees", `nothing is left of them; ${at}`);
  for (const { values, firstChildren } of content.octrees) {
    const branches = values.reduce(
      (sum, value, node) => sum + (firstChildren[node] !== 0 && value !== 0 ? 1 : 0),
      0,
    );
    losses.add("values of branches", `only voxels are kept; ${at}`, branches);
  }
  for (const { remark, name } of blockNames(content)) {
    if (remark === "subtype") losses.add("block subtypes", `they become part of the names, as in "${name}"`);
    if (remark === "unnamed") losses.add("block types without a name", `they get one, as "${name}"; ${at}`);
    if (remark === "unlisted")
      losses.add("block ids that are not listed", `they get a name, as "${name}"; ${at}`);
  }
}

function* leavesOf(
  { octrees, ...rest }: MarsMinerChunk,
  column: { readonly x: number; readonly z: number },
  cubeSize: number,
  shape: ChunkShape,
  blocks: BlockNumbers,
): Generator<LeafChange> {
  const blockOf = Uint16Array.from(blockNames({ octrees, ...rest }), ({ name }) => blocks.blockOf(name));
  const edge = shape.extents[0];
  const perCube = cubeSize / edge;
  const perCell = Math.min(CELL_CHUNKS, perCube);
  for (const [level, octree] of octrees.entries()) {
    const corner: Position = [column.x * perCube, level * perCube, column.z * perCube, 0];
    for (let x = 0; x < perCube; x += perCell)
      for (let y = 0; y < perCube; y += perCell)
        for (let z = 0; z < perCube; z += perCell) {
          const from: Position = [x, y, z, 0];
          yield leafOf(octree, corner, from, perCell, cubeSize, shape, blockOf);
        }
  }
}

function leafOf(
  octree: Octree,
  corner: Position,
  from: Position,
  perCell: number,
  cubeSize: number,
  shape: ChunkShape,
  blockOf: Uint16Array,
): LeafChange {
  const edge = shape.extents[0];
  const chunks: ChunkEntry[] = [];
  for (let x = from[0]; x < from[0] + perCell; x++)
    for (let y = from[1]; y < from[1] + perCell; y++)
      for (let z = from[2]; z < from[2] + perCell; z++) {
        const cube = { x: x * edge, y: y * edge, z: z * edge, edge };
        const chunk = chunkOf(octreeCubeContent(octree, cubeSize, cube), shape, blockOf);
        chunks.push({ position: [corner[0] + x, corner[1] + y, corner[2] + z, 0], chunk });
      }
  const min: Position = [corner[0] + from[0], corner[1] + from[1], corner[2] + from[2], 0];
  const max: Position = [min[0] + perCell, min[1] + perCell, min[2] + perCell, perCell];
  return { cube: { min, max }, chunks };
}

function chunkOf(content: number | Uint16Array, { volume }: ChunkShape, blockOf: Uint16Array): Chunk {
  if (typeof content === "number") return uniformChunk(volume, blockOf[content] ?? 0);
  return chunkFromVoxels(content.map((id) => blockOf[id] ?? 0));
}

function nameOf({ name: stated = "" }: MarsMinerState, losses: ConversionLosses): string {
  const name = printableName(stated);
  if (encodeUtf8(name).length <= NAME_BYTES_MAX) return name;
  losses.add("the end of the name", `a world's name has at most ${NAME_BYTES_MAX} bytes`);
  return name.slice(0, NAME_BYTES_MAX / 4).replace(/[\uD800-\uDBFF]$/, "");
}

const AIR_BLOCK: NewBlockType = { id: AIR, name: "air", colour: 0, solid: false };
/** Leaves room for a suffix that distinguishes two names with the same beginning. */
const CUT_LENGTH = BLOCK_NAME_LENGTH_MAX - 8;

/** Creates a block for each MarsMiner block name, in order of appearance, and a catalog of all of them. */
class BlockNumbers {
  readonly #losses: ConversionLosses;
  readonly #byName = new Map<string, number>([[EMPTY_BLOCK_NAME, AIR]]);
  readonly #names = new Set([AIR_BLOCK.name]);
  readonly #blocks: NewBlockType[] = [AIR_BLOCK];

  constructor(losses: ConversionLosses) {
    this.#losses = losses;
  }

  /** Returns our number for a MarsMiner block name. The game's name for an empty block is air. */
  blockOf(blockName: string): number {
    const known = this.#byName.get(blockName);
    if (known !== undefined) return known;
    const id = this.#blocks.length;
    if (id > U16_MAX) throw new OrthantError("ORT_LIMIT", `more than ${U16_MAX} kinds of blocks`);
    const name = this.#freeName(blockName);
    this.#names.add(name);
    this.#blocks.push({ id, name, colour: colourOf(name), solid: true });
    this.#byName.set(blockName, id);
    return id;
  }

  /** Returns the catalog, encoded for a save. */
  catalog(): Uint8Array {
    return encode(blockCatalogCodec, new BlockCatalog(this.#blocks));
  }

  #freeName(stated: string): string {
    const blockName = printableName(stated);
    const fits = blockName.length >= 1 && blockName.length <= BLOCK_NAME_LENGTH_MAX;
    if (fits && !this.#names.has(blockName)) return blockName;
    this.#losses.add(
      "names of block types that no block of ours can have",
      `1 to ${BLOCK_NAME_LENGTH_MAX} letters, and not "air"; they get others`,
    );
    // Never cuts a surrogate pair.
    const start = blockName.slice(0, CUT_LENGTH).replace(/[\uD800-\uDBFF]$/, "") || "nameless";
    let number = 1;
    while (this.#names.has(`${start} ~${number}`)) number++;
    return `${start} ~${number}`;
  }
}

/** Returns a colour derived from the name without its subtype, because MarsMiner stores none. */
export function colourOf(name: string): number {
  return crc32(encodeUtf8(name.replace(/ #-?\d+$/, ""))) >>> 8;
}

/** Unit of chunk positions in a MarsMiner save: blocks, as in the game, or chunks. */
export type MarsMinerLocations = "blocks" | "chunks";

/** Properties of the original MarsMiner save that a world keeps, to convert it back. */
export interface MarsMinerFacts {
  readonly cubeSize: number;
  readonly locations: MarsMinerLocations;
  /** Precise to 100 ns, while a world has milliseconds. */
  readonly ticks: bigint;
  /** Distinguishes a save without a name from one with an empty name. */
  readonly hasName: boolean;
}

const KEY = "marsminer";
const VERSION = 1;

const factsCodec: Codec<MarsMinerFacts> = {
  write(out, { cubeSize, locations, ticks, hasName }) {
    out.varUint(VERSION);
    out.varU32(cubeSize);
    out.bool(locations === "chunks");
    out.u64(BigInt.asUintN(64, ticks));
    out.bool(hasName);
  },
  read(input) {
    const version = input.varUint();
    if (version !== VERSION) throw input.fail("ORT_VERSION", `MarsMiner facts of version ${version}`);
    return {
      cubeSize: input.varU32(),
      locations: input.bool() ? "chunks" : "blocks",
      ticks: BigInt.asIntN(64, input.u64()),
      hasName: input.bool(),
    };
  },
};

/** Finds the facts among attachments; `undefined` if there are none, or they are unreadable. */
export function findFacts(attachments: readonly Attachment[]): MarsMinerFacts | undefined {
  const found = attachments.find(isFacts);
  if (found === undefined) return undefined;
  try {
    return decode(factsCodec, found.value);
  } catch (error) {
    // The facts only make converting back more faithful. Nothing depends on them.
    if (isOrthantError(error)) return undefined;
    throw error;
  }
}

/** Returns whether an attachment holds the facts. */
export function isFacts({ key }: Attachment): boolean {
  return key === KEY;
}
