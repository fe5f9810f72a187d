import { requireInteger } from "../bytes/integers.ts";
import { OrthantError } from "../error/orthant-error.ts";
import { AXES, type Axis, type Position } from "./position.ts";

/** The number of voxels of a chunk on each axis, the same for a whole world. */
export interface ChunkShape {
  readonly extents: Position;
  /** Voxels in a chunk, the product of the extents. */
  readonly volume: number;
}

/** Maximum number of voxels in a chunk. A voxel index then fits into 16 bits. */
export const CHUNK_VOXELS_MAX = 65_536;

/** Returns a shape. Throws `ORT_ARGUMENT` unless each extent is at least 1 and the volume at most 65,536. */
export function chunkShape(extents: Position): ChunkShape {
  if (AXES.some((axis) => !Number.isInteger(extents[axis]) || extents[axis] < 1)) {
    throw new OrthantError(
      "ORT_ARGUMENT",
      `a chunk of [${extents}] voxels: each edge takes a whole number from 1`,
    );
  }
  const volume = extents[0] * extents[1] * extents[2] * extents[3];
  if (volume > CHUNK_VOXELS_MAX) {
    const detail = `a chunk of [${extents}] has ${volume} voxels, at most ${CHUNK_VOXELS_MAX} may be`;
    throw new OrthantError("ORT_ARGUMENT", detail);
  }
  return { extents, volume };
}

/** Chunks of 8 x 8 x 8 x 8 voxels, for worlds of four dimensions; the default. */
export const HYPERCUBE_CHUNKS: ChunkShape = chunkShape([8, 8, 8, 8]);
/** Chunks of 16 x 16 x 16 voxels, for worlds of three dimensions. */
export const CUBE_CHUNKS: ChunkShape = chunkShape([16, 16, 16, 1]);
/** Chunks of 32 x 32 voxels, for worlds of tiles. */
export const TILE_CHUNKS: ChunkShape = chunkShape([32, 32, 1, 1]);
/** Chunks of 128 x 128 voxels, for worlds of pixels. */
export const PIXEL_CHUNKS: ChunkShape = chunkShape([128, 128, 1, 1]);

/**
 * Returns the first axis on which a voxel or chunk lies outside the world; `undefined` if it lies inside. An
 * axis with an extent of 1 does not exist in the world, so every coordinate on it must be 0.
 */
export function axisOutside({ extents }: ChunkShape, position: Position): Axis | undefined {
  return AXES.find((axis) => extents[axis] === 1 && position[axis] !== 0);
}

/** Returns the index of a voxel from its coordinates in the chunk, which are not checked; x runs fastest. */
export function indexInChunk({ extents }: ChunkShape, x: number, y: number, z: number, w: number): number {
  return x + extents[0] * (y + extents[1] * (z + extents[2] * w));
}

/** Returns the coordinates of a voxel in its chunk from its index. */
export function positionInChunk({ extents, volume }: ChunkShape, index: number): Position {
  requireInteger(index, 0, volume - 1);
  const row = Math.floor(index / extents[0]);
  const layer = Math.floor(row / extents[1]);
  return [index % extents[0], row % extents[1], layer % extents[2], Math.floor(layer / extents[2])];
}
