import { I32_MAX, I32_MIN, requireInteger } from "../bytes/integers.ts";
import { OrthantError, wrongArgument } from "../error/orthant-error.ts";
import type { Box } from "./box.ts";
import {
  AXES,
  type Axis,
  floorDivide,
  floorModulo,
  type Position,
  positionFrom,
  type Vector,
} from "./position.ts";

/** The number of voxels of a chunk on each axis, the same for a whole world. */
export interface ChunkShape {
  readonly extents: Position;
  /** Voxels in a chunk, the product of the extents. */
  readonly volume: number;
}

/** Maximum number of voxels in a chunk. A voxel index then fits into 16 bits. */
export const CHUNK_VOXELS_MAX = 65_536;

/**
 * Returns a shape from two to four extents; those that are left out are 1. Throws `ORT_ARGUMENT` unless each extent is
 * at least 1 and the volume at most 65,536.
 */
export function chunkShape(extents: Position<2> | Position<3> | Position<4>): ChunkShape {
  const four = fourExtents(extents);
  const volume = four[0] * four[1] * four[2] * four[3];
  if (volume > CHUNK_VOXELS_MAX) {
    const advice = `such a chunk has ${volume} voxels, the limit is ${CHUNK_VOXELS_MAX}`;
    throw wrongArgument("extents", extents, advice);
  }
  return { extents: four, volume };
}

/** Returns the shape of chunks that `value` describes. */
export function requireShape(name: string, value: unknown): ChunkShape {
  const { extents } = (typeof value === "object" ? (value ?? {}) : {}) as Partial<ChunkShape>;
  if (extents === undefined) throw wrongArgument(name, value, "it is what chunkShape([16, 16, 16]) returns");
  return chunkShape(extents);
}

function fourExtents(given: unknown): Position {
  const advice = "it is a list of two to four whole numbers from 1, such as [16, 16, 16]";
  if (!Array.isArray(given) || given.length < 2 || given.length > AXES.length) {
    throw wrongArgument("extents", given, advice);
  }
  const extents = positionFrom((axis) => (axis < given.length ? given[axis] : 1) as number);
  if (extents.every((extent) => Number.isInteger(extent) && extent >= 1)) return extents;
  throw wrongArgument("extents", given, advice);
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
  for (const axis of AXES) if (extents[axis] === 1 && position[axis] !== 0) return axis;
  return undefined;
}

/**
 * Returns the part of a box of voxels or chunks that lies in the world, `undefined` if there is none: on an axis
 * with an extent of 1 only the coordinate 0 exists.
 */
export function clipToAxes({ extents }: ChunkShape, { min, max }: Box): Box | undefined {
  const isInside = AXES.every((axis) => extents[axis] !== 1 || (min[axis] <= 0 && max[axis] > 0));
  if (!isInside) return undefined;
  return {
    min: positionFrom((axis) => (extents[axis] === 1 ? 0 : min[axis])),
    max: positionFrom((axis) => (extents[axis] === 1 ? 1 : max[axis])),
  };
}

/**
 * Returns a point in the world: on an axis with an extent of 1 every coordinate outside of the layer from 0 to 1
 * becomes 0. The layer includes 1, because stored coordinates are rounded to 32 bits.
 */
export function pointOnAxes({ extents }: ChunkShape, point: Vector): Vector {
  return positionFrom((axis) => {
    const coordinate = point[axis];
    return extents[axis] === 1 && !(coordinate >= 0 && coordinate <= 1) ? 0 : coordinate;
  });
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

/** Returns the chunk of a voxel. Throws `ORT_POSITION_RANGE` if its coordinates are not 32-bit integers. */
export function chunkOfVoxel({ extents }: ChunkShape, voxel: Position): Position {
  // Written out, as in `regionOf`: every edit and every read of a voxel comes through here.
  return [
    chunkCoordinate(voxel[0], extents[0]),
    chunkCoordinate(voxel[1], extents[1]),
    chunkCoordinate(voxel[2], extents[2]),
    chunkCoordinate(voxel[3], extents[3]),
  ];
}

/** Returns one coordinate of a voxel's chunk. Throws `ORT_POSITION_RANGE` if it is not a 32-bit integer. */
function chunkCoordinate(voxelCoordinate: number, extent: number): number {
  const coordinate = floorDivide(voxelCoordinate, extent);
  if (!Number.isSafeInteger(voxelCoordinate)) {
    throw new OrthantError("ORT_POSITION_RANGE", `voxel coordinate ${voxelCoordinate} is not a whole number`);
  }
  if (coordinate < I32_MIN || coordinate > I32_MAX) {
    throw new OrthantError(
      "ORT_POSITION_RANGE",
      `voxel coordinate ${voxelCoordinate} is outside of the world, which goes from ${I32_MIN * extent} to ${(I32_MAX + 1) * extent - 1}`,
    );
  }
  return coordinate;
}

/** Returns the index of a voxel in its chunk from its world coordinates, which must be safe integers. */
export function voxelIndex({ extents }: ChunkShape, x: number, y: number, z: number, w: number): number {
  return (
    floorModulo(x, extents[0]) +
    extents[0] *
      (floorModulo(y, extents[1]) +
        extents[1] * (floorModulo(z, extents[2]) + extents[2] * floorModulo(w, extents[3])))
  );
}

/** Returns the world coordinates of a voxel from its chunk and index. */
export function voxelOfIndex(shape: ChunkShape, chunk: Position, index: number): Position {
  const local = positionInChunk(shape, index);
  return positionFrom((axis) => chunk[axis] * shape.extents[axis] + local[axis]);
}

/** Returns the voxels of a box of chunks. */
export function voxelsOfChunks({ extents }: ChunkShape, { min, max }: Box): Box {
  return {
    min: positionFrom((axis) => min[axis] * extents[axis]),
    max: positionFrom((axis) => max[axis] * extents[axis]),
  };
}

/** Returns the chunks that a box of voxels touches. Throws `ORT_POSITION_RANGE` if one is off the lattice. */
export function chunksOfVoxels(shape: ChunkShape, { min, max }: Box): Box {
  const last = chunkOfVoxel(
    shape,
    positionFrom((axis) => max[axis] - 1),
  );
  return { min: chunkOfVoxel(shape, min), max: positionFrom((axis) => last[axis] + 1) };
}
