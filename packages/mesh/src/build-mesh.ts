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
import type { BlockLooks } from "./looks/block-looks.ts";
import { ArraysMaker, MERGED_REACH, type MeshArrays } from "./mesh-arrays.ts";
import { BlockAppearance } from "./volume/block-appearance.ts";
import { NO_QUADS } from "./volume/quads.ts";
import { type ChunkCut, type CutAt, emptyVolume, fillVolume, type VolumePoint } from "./volume/volume.ts";
import { type VolumeMesh, VolumeMesher } from "./volume/volume-mesher.ts";
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

/** The visible surface of a chunk. */
export interface ChunkMesh {
  /** Where the mesh belongs: the chunk's lowest corner, in voxels. z is 0 in a world of two dimensions. */
  readonly origin: readonly [x: number, y: number, z: number];
  readonly opaque: MeshArrays;
  /** Blocks with holes, such as leaves: pixels of their textures that are clear are not drawn. Empty without looks. */
  readonly cutout: MeshArrays;
  /** Water, glass and ice, to be drawn after everything that is opaque. */
  readonly transparent: MeshArrays;
}

/** How a mesh is built. */
export interface MeshOptions {
  /** The looks of blocks, when names in the catalog do not say enough. */
  readonly appearance?: BlockAppearance;
  /** How blocks are drawn: textures and models, of a look pack. By default they are cubes of their colours. */
  readonly looks?: BlockLooks;
  /**
   * The light of the chunk and of the voxels around it, x first: for each a byte, 16 times the light of the sky plus that of
   * blocks, from 0 to 15 each. By default everything is lit by the sky.
   */
  readonly light?: Uint8Array;
  /** Whether corners beside other voxels are darker; by default true. */
  readonly isShaded?: boolean;
  /**
   * Whether faces end exactly at their edges, as a file needs. By default those of `opaque` and `cutout` reach over them by a
   * 512th of a voxel, so that the sky does not show between them on a screen.
   */
  readonly isExact?: boolean;
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
  looks: matching(
    "it is what looksOf returns, an object with textures and a function lookOf",
    (value) => typeof (value as Partial<BlockLooks> | null)?.lookOf === "function",
  ),
  light: matching("it is a Uint8Array", (value) => value instanceof Uint8Array),
  isShaded: requireFlag,
  isExact: requireFlag,
  unloaded: choiceOf("wait", "air", "solid"),
});

/** A world of two dimensions shows only the sides towards greater z. */
const FRONT: readonly number[] = [4];

/**
 * Builds the visible surface of a chunk. Neighbouring faces of the same block are one rectangle, and no face lies
 * between two opaque voxels, also not at the border to another chunk: build the chunks around an edit again too. Opaque
 * faces reach over their edges by a 512th of a voxel, unless the mesh is to be exact. Returns `undefined` while the
 * chunk, or one beside it, is not in memory. For worlds of two and three dimensions.
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
  const {
    unloaded = "wait",
    isShaded = true,
    isExact = false,
    appearance,
    looks = appearance ?? appearanceOf(world.blocks),
  } = own;
  if (appearance !== undefined && own.looks !== undefined) {
    throw wrongArgument(
      "options.appearance",
      appearance,
      "there are no options.looks, which say the same and more",
    );
  }
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
  const mesher = mesherOf(looks);
  const otherwise = unloaded === "wait" ? undefined : unloaded === "air" ? AIR : mesher.blocks.solidBlock();
  const volume = emptyVolume(chunk);
  const cutAt: CutAt = (...at) => known(...at) ?? otherwise;
  const filling = fillVolume({ chunk, chunks: [1, 1, 1] }, position, cutAt, volume);
  if (filling === "unknown") return undefined;
  const isFlat = world.dimensions === 2;
  const surface = { isShaded, ...(own.light && { light: own.light }), ...(isFlat && { sides: FRONT }) };
  const quads = filling === "air" ? NO_SURFACE : mesher.mesh(volume, surface);
  const maker = new ArraysMaker(mesher.blocks, isFlat ? 1 : 0);
  const reach = isExact ? 0 : MERGED_REACH;
  return {
    origin,
    opaque: maker.arraysOf(quads.opaque, reach),
    cutout: maker.arraysOf(quads.cutout, reach),
    transparent: maker.arraysOf(quads.blended, 0),
  };
}

const NO_SURFACE: VolumeMesh = { opaque: NO_QUADS, cutout: NO_QUADS, blended: NO_QUADS };

const appearances = new WeakMap<BlockCatalog, BlockAppearance>();
const meshers = new WeakMap<BlockAppearance | BlockLooks, VolumeMesher>();

function appearanceOf(catalog: BlockCatalog): BlockAppearance {
  const appearance = getOrAdd(appearances, catalog, () => new BlockAppearance(catalog));
  return appearance;
}

function mesherOf(looks: BlockAppearance | BlockLooks): VolumeMesher {
  const mesher = getOrAdd(meshers, looks, () => new VolumeMesher(looks));
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

function requireChunkPosition(value: unknown, dimensions: number): VolumePoint {
  const [x = 0, y = 0, z = 0] = requirePoint("chunkPosition", value, dimensions);
  if ([x, y, z].every((coordinate) => Number.isSafeInteger(coordinate))) return [x, y, z];
  throw wrongArgument("chunkPosition", value, "it is a position in chunks, in whole numbers");
}
