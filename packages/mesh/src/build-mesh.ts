import {
  AIR,
  type BlockCatalog,
  type Chunk,
  type ChunkShape,
  chunkShape,
  type Position,
} from "@orthant/core";
import {
  choiceOf,
  fieldsOf,
  matching,
  requireFlag,
  requireList,
  wrongArgument,
} from "@orthant/core/arguments";
import { getOrAdd } from "@orthant/core/lattice";
import { BlockAppearance, OPAQUE } from "./volume/block-appearance.ts";
import {
  COLOUR_BYTES,
  GreedyMesher,
  LIGHT_FULL,
  NO_QUADS,
  POSITION_NUMBERS,
  type QuadMesh,
  quadCount,
} from "./volume/greedy-mesher.ts";
import { type ChunkCut, type CutAt, emptyVolume, fillVolume, type VolumePoint } from "./volume/volume.ts";
import { requirePoint, requireSource } from "./voxel-reader.ts";

/** What a mesh needs of a world: `World`, `ClientWorld` and small objects of your own fit. */
export interface MeshSource<D extends 2 | 3> {
  /** The number of axes, and so of coordinates in a position. */
  readonly dimensions: D;
  /** The number of voxels of a chunk. */
  readonly chunkShape: ChunkShape;
  /** The blocks of the world; they say which colour each has and what is transparent. */
  readonly blocks: BlockCatalog;
  /** Returns a chunk, by its position in chunks, or `undefined` while it is not in memory. */
  chunkAt(chunkPosition: Position<D>): Chunk | undefined;
}

/** Triangles, in arrays that a `BufferGeometry` of three.js or a vertex buffer takes as they are. */
export interface MeshArrays {
  /** Three numbers for each vertex: its place in voxels, from the mesh's origin. */
  readonly positions: Float32Array<ArrayBuffer>;
  /** Three numbers for each vertex: the direction that its face looks in. */
  readonly normals: Float32Array<ArrayBuffer>;
  /** Four numbers for each vertex, from 0 to 1: red, green and blue, linear and shaded, and opacity. */
  readonly colours: Float32Array<ArrayBuffer>;
  /** Three vertices for each triangle, counterclockwise when seen from outside. */
  readonly indices: Uint32Array<ArrayBuffer>;
}

/** The visible surface of a chunk. */
export interface ChunkMesh {
  /** Where the mesh belongs: the chunk's lowest corner, in voxels. z is 0 in a world of two dimensions. */
  readonly origin: readonly [x: number, y: number, z: number];
  readonly opaque: MeshArrays;
  /** Water, glass and ice, to be drawn after everything that is opaque. */
  readonly transparent: MeshArrays;
}

/** How a mesh is built. */
export interface MeshOptions {
  /** The looks of blocks, when names in the catalog do not say enough. */
  readonly appearance?: BlockAppearance;
  /** Whether corners beside other voxels are darker; by default true. */
  readonly isShaded?: boolean;
  /**
   * What to do while a chunk beside this one is not in memory: by default `buildMesh` waits for it, which means that it
   * returns `undefined`. Otherwise its voxels are air, with faces towards them, or solid, without.
   */
  readonly unloaded?: "wait" | "air" | "solid";
}

const meshOptions = fieldsOf<MeshOptions>({
  appearance: matching(
    "it is a BlockAppearance: new BlockAppearance(world.blocks)",
    (value) => value instanceof BlockAppearance,
  ),
  isShaded: requireFlag,
  unloaded: choiceOf("wait", "air", "solid"),
});

/** Share of light that reaches a corner, by the number of voxels that do not shade it. */
const LIGHT_SHARES = [0.42, 0.613, 0.807, 1] as const;
/** A world of two dimensions shows only the sides towards greater z. */
const FRONT: readonly number[] = [4];

/**
 * Builds the visible surface of a chunk. Neighbouring faces of the same block are one rectangle, and no face lies
 * between two opaque voxels, also not at the border to another chunk: build the chunks around an edit again too. Returns
 * `undefined` while the chunk, or one beside it, is not in memory. For worlds of two and three dimensions.
 *
 * @example
 * const mesh = buildMesh(world, [0, 4, 0]);
 * const geometry = new BufferGeometry()
 *   .setAttribute("position", new BufferAttribute(mesh.opaque.positions, 3))
 *   .setAttribute("normal", new BufferAttribute(mesh.opaque.normals, 3))
 *   .setAttribute("color", new BufferAttribute(mesh.opaque.colours, 4))
 *   .setIndex(new BufferAttribute(mesh.opaque.indices, 1));
 */
export function buildMesh<D extends 2 | 3>(
  world: MeshSource<D>,
  chunkPosition: Position<D>,
  options: MeshOptions = {},
): ChunkMesh | undefined {
  requireSource(world, "chunkAt", 3);
  const position = requireChunkPosition(chunkPosition, world.dimensions);
  const own = meshOptions("options", options);
  const { unloaded = "wait", isShaded = true, appearance = appearanceOf(world.blocks) } = own;
  requireList(
    "world.chunkShape.extents",
    world.chunkShape?.extents,
    "it is the number of voxels on four axes",
  );
  const { extents } = chunkShape(world.chunkShape.extents);
  const chunk: VolumePoint = [extents[0], extents[1], extents[2]];
  const origin: VolumePoint = [position[0] * chunk[0], position[1] * chunk[1], position[2] * chunk[2]];
  const known = cutAtOf(world);
  if (known(...position) === undefined) return undefined;
  const otherwise = unloaded === "wait" ? undefined : unloaded === "air" ? AIR : opaqueBlock(appearance);
  const volume = emptyVolume(chunk);
  const cutAt: CutAt = (...at) => known(...at) ?? otherwise;
  const filling = fillVolume({ chunk, chunks: [1, 1, 1] }, position, cutAt, volume);
  if (filling === "unknown") return undefined;
  if (filling === "air") return { origin, opaque: arraysOf(NO_QUADS, 0), transparent: arraysOf(NO_QUADS, 0) };
  const isFlat = world.dimensions === 2;
  const mesher = mesherOf(appearance);
  const { opaque, transparent } = mesher.mesh(volume, isFlat ? { isShaded, sides: FRONT } : { isShaded });
  const sunk = isFlat ? 1 : 0;
  return { origin, opaque: arraysOf(opaque, sunk), transparent: arraysOf(transparent, sunk) };
}

const appearances = new WeakMap<BlockCatalog, BlockAppearance>();
const meshers = new WeakMap<BlockAppearance, GreedyMesher>();

function appearanceOf(catalog: BlockCatalog): BlockAppearance {
  const appearance = getOrAdd(appearances, catalog, () => new BlockAppearance(catalog));
  return appearance;
}

function mesherOf(appearance: BlockAppearance): GreedyMesher {
  const mesher = getOrAdd(meshers, appearance, () => new GreedyMesher(appearance));
  return mesher;
}

/** Returns the voxels of chunks by three coordinates. A world of two dimensions is one chunk deep, in air. */
function cutAtOf<D extends 2 | 3>(world: MeshSource<D>): CutAt {
  const isFlat = world.dimensions === 2;
  return (x, y, z) => {
    if (isFlat && z !== 0) return AIR;
    const chunk = world.chunkAt((isFlat ? [x, y] : [x, y, z]) as unknown as Position<D>);
    return chunk === undefined ? undefined : cutOf(chunk);
  };
}

/** Voxels of the chunks used last, in the order of use: each chunk is unpacked for 27 meshes. */
const unpacked = new Map<Chunk, Uint16Array>();
const UNPACKED_VOXELS_MAX = 1_048_576;

function cutOf(chunk: Chunk): ChunkCut {
  if (chunk.uniformBlock !== undefined) return chunk.uniformBlock;
  const voxels = unpacked.get(chunk) ?? chunk.voxels();
  unpacked.delete(chunk);
  unpacked.set(chunk, voxels);
  for (const oldest of unpacked.keys()) {
    if (unpacked.size * voxels.length <= UNPACKED_VOXELS_MAX) break;
    unpacked.delete(oldest);
  }
  return voxels;
}

/** Returns a block that hides what lies behind it. */
function opaqueBlock({ kinds }: BlockAppearance): number {
  return kinds.indexOf(OPAQUE);
}

function arraysOf(mesh: QuadMesh, sunk: number): MeshArrays {
  const quads = quadCount(mesh);
  const vertices = quads * 4;
  const positions = new Float32Array(vertices * 3);
  const normals = new Float32Array(vertices * 3);
  const colours = new Float32Array(vertices * 4);
  const indices = new Uint32Array(quads * 6);
  for (let vertex = 0; vertex < vertices; vertex++) {
    const from = vertex * POSITION_NUMBERS;
    const word = mesh.positions[from + 3] as number;
    const side = word & 7;
    const isGlowing = word >> 5 !== 0;
    const shades = SHADES[isGlowing ? LIGHT_FULL : (word >> 3) & 3] as Float32Array;
    positions[vertex * 3] = mesh.positions[from] as number;
    positions[vertex * 3 + 1] = mesh.positions[from + 1] as number;
    positions[vertex * 3 + 2] = (mesh.positions[from + 2] as number) - sunk;
    normals[vertex * 3 + (side >> 1)] = side % 2 === 0 ? 1 : -1;
    for (let part = 0; part < 3; part++) {
      colours[vertex * 4 + part] = shades[mesh.colours[vertex * COLOUR_BYTES + part] as number] as number;
    }
    colours[vertex * 4 + 3] = (mesh.colours[vertex * COLOUR_BYTES + 3] as number) / 255;
  }
  for (let quad = 0; quad < quads; quad++) {
    const [first, at] = [quad * 4, quad * 6];
    indices[at] = first;
    indices[at + 1] = first + 1;
    indices[at + 2] = first + 2;
    indices[at + 3] = first;
    indices[at + 4] = first + 2;
    indices[at + 5] = first + 3;
  }
  return { positions, normals, colours, indices };
}

/** The linear colour of each 8-bit one, by the light at its corner. */
const SHADES: readonly Float32Array[] = LIGHT_SHARES.map((share) =>
  Float32Array.from({ length: 256 }, (_, part) => linear((part / 255) * share)),
);

/** Converts a part of an sRGB colour to the linear one that a renderer computes with. */
function linear(part: number): number {
  return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
}

function requireChunkPosition(value: unknown, dimensions: number): VolumePoint {
  const [x = 0, y = 0, z = 0] = requirePoint("chunkPosition", value, dimensions);
  if ([x, y, z].every((coordinate) => Number.isSafeInteger(coordinate))) return [x, y, z];
  throw wrongArgument("chunkPosition", value, "it is a position in chunks, in whole numbers");
}
