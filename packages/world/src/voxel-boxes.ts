import {
  type Box,
  boxAt,
  boxBetween,
  boxVolume,
  type Chunk,
  chunksOfVoxels,
  type FieldEdit,
  intersectBoxes,
  OrthantError,
  type Place,
  placeFrom,
  placesLexicographic,
  placesMinorToMajor,
  uniformChunk,
  type VoxelPlacement,
  voxelsOfChunks,
  type WorldField,
} from "@orthant/core";
import { COPY_VOXELS_MAX, EDIT_CHUNKS_MAX } from "./world-options.ts";

/** The world with a material in every voxel of a box. */
export function fillBox(field: WorldField, box: Box, material: number): FieldEdit {
  const chunks = chunksOfVoxels(field.shape, box);
  requireAtMost(boxVolume(chunks), EDIT_CHUNKS_MAX, "chunks: fill it in parts");
  const filled = Array.from(placesLexicographic(chunks), (place): readonly [Place, Chunk] => [
    place,
    fillChunk(field, place, box, material),
  ]);
  return field.setChunks(filled);
}

/** The world with what a box of voxels holds put to another place as well; the two may overlap. */
export function copyBox(field: WorldField, box: Box, to: Place): FieldEdit {
  const placements = Array.from(placesMinorToMajor(box), (place): VoxelPlacement => {
    const voxel = placeFrom((axis) => place[axis] - box.min[axis] + to[axis]);
    return { voxel, material: field.voxelAt(...place) };
  });
  return field.setVoxels(placements);
}

/** Where a copy of a box ends up; `ORT_LIMIT` when the box is too large for one copy. */
export function copyTarget(box: Box, to: Place): Box {
  requireAtMost(boxVolume(box), COPY_VOXELS_MAX, "voxels: copy it in parts");
  return boxBetween(
    to,
    placeFrom((axis) => box.max[axis] - box.min[axis] + to[axis]),
  );
}

/** Throws `ORT_LIMIT` when an edit is too large; the unit also says what to do about it. */
export function requireAtMost(count: number, limit: number, unit: string): void {
  if (count <= limit) return;
  throw new OrthantError("ORT_LIMIT", `an edit of ${count}, where at most ${limit} may be, ${unit}`);
}

function fillChunk(field: WorldField, place: Place, box: Box, material: number): Chunk {
  const { shape } = field;
  const voxels = voxelsOfChunks(shape, boxAt(place));
  const part = intersectBoxes(box, voxels);
  if (part === undefined || boxVolume(part) === shape.volume) return uniformChunk(shape.volume, material);
  const local = boxBetween(minus(part.min, voxels.min), minus(part.max, voxels.min));
  return field.realizeChunk(...place, "simulation").fill(shape, local, material);
}

function minus(place: Place, from: Place): Place {
  return placeFrom((axis) => place[axis] - from[axis]);
}
