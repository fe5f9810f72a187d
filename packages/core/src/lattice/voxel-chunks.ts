import { I32_MAX, I32_MIN } from "../bytes/integers.ts";
import { OrthantError } from "../error/orthant-error.ts";
import type { Box } from "./box.ts";
import { type ChunkShape, positionInChunk } from "./chunk-shape.ts";
import { floorDivide, floorModulo } from "./floor-division.ts";
import { type Position, positionFrom } from "./position.ts";

/** Returns the chunk of a voxel. Throws `ORT_POSITION_RANGE` if its coordinates are not 32-bit integers. */
export function chunkOfVoxel({ extents }: ChunkShape, voxel: Position): Position {
  return positionFrom((axis) => chunkCoordinate(voxel[axis], extents[axis]));
}

/** Returns one coordinate of a voxel's chunk. Throws `ORT_POSITION_RANGE` if it is not a 32-bit integer. */
export function chunkCoordinate(voxelCoordinate: number, extent: number): number {
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
