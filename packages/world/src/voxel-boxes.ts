import {
  type Box,
  boxAt,
  boxBetween,
  boxVolume,
  type Chunk,
  chunksOfVoxels,
  type FieldEdit,
  intersectBoxes,
  type Position,
  positionFrom,
  positionsLexicographic,
  positionsMinorToMajor,
  uniformChunk,
  type VoxelPlacement,
  voxelsOfChunks,
  type WorldField,
} from "@orthant/core";

/** Returns the edit that sets every voxel of a box. */
export function fillBox(field: WorldField, box: Box, material: number): FieldEdit {
  const chunks = chunksOfVoxels(field.shape, box);
  const filled = Array.from(positionsLexicographic(chunks), (position): readonly [Position, Chunk] => [
    position,
    fillChunk(field, position, box, material),
  ]);
  return field.setChunks(filled);
}

/** Returns the edit that copies a box of voxels to another position. Source and target may overlap. */
export function copyBox(field: WorldField, box: Box, to: Position): FieldEdit {
  const placements = Array.from(positionsMinorToMajor(box), (position): VoxelPlacement => {
    const voxel = positionFrom((axis) => position[axis] - box.min[axis] + to[axis]);
    return { voxel, material: field.voxelAt(...position) };
  });
  return field.setVoxels(placements);
}

function fillChunk(field: WorldField, position: Position, box: Box, material: number): Chunk {
  const { shape } = field;
  const voxels = voxelsOfChunks(shape, boxAt(position));
  const part = intersectBoxes(box, voxels);
  if (part === undefined || boxVolume(part) === shape.volume) return uniformChunk(shape.volume, material);
  const local = boxBetween(minus(part.min, voxels.min), minus(part.max, voxels.min));
  return field.realizeChunk(...position).fill(shape, local, material);
}

function minus(position: Position, from: Position): Position {
  return positionFrom((axis) => position[axis] - from[axis]);
}
