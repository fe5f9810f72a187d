import {
  type Box,
  boxAt,
  boxBetween,
  boxVolume,
  type Chunk,
  chunksOfVoxels,
  type FieldEdit,
  intersectBoxes,
  type Place,
  placeFrom,
  placesLexicographic,
  placesMinorToMajor,
  uniformChunk,
  type VoxelPlacement,
  voxelsOfChunks,
  type WorldField,
} from "@orthant/core";

/** Returns the edit that sets every voxel of a box. */
export function fillBox(field: WorldField, box: Box, material: number): FieldEdit {
  const chunks = chunksOfVoxels(field.shape, box);
  const filled = Array.from(placesLexicographic(chunks), (place): readonly [Place, Chunk] => [
    place,
    fillChunk(field, place, box, material),
  ]);
  return field.setChunks(filled);
}

/** Returns the edit that copies a box of voxels to another position. Source and target may overlap. */
export function copyBox(field: WorldField, box: Box, to: Place): FieldEdit {
  const placements = Array.from(placesMinorToMajor(box), (place): VoxelPlacement => {
    const voxel = placeFrom((axis) => place[axis] - box.min[axis] + to[axis]);
    return { voxel, material: field.voxelAt(...place) };
  });
  return field.setVoxels(placements);
}

function fillChunk(field: WorldField, place: Place, box: Box, material: number): Chunk {
  const { shape } = field;
  const voxels = voxelsOfChunks(shape, boxAt(place));
  const part = intersectBoxes(box, voxels);
  if (part === undefined || boxVolume(part) === shape.volume) return uniformChunk(shape.volume, material);
  const local = boxBetween(minus(part.min, voxels.min), minus(part.max, voxels.min));
  return field.realizeChunk(...place).fill(shape, local, material);
}

function minus(place: Place, from: Place): Place {
  return placeFrom((axis) => place[axis] - from[axis]);
}
