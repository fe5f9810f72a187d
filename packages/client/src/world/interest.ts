import {
  AXES,
  type Axis,
  type Box,
  boxEquals,
  type ChunkShape,
  chunkOfVoxel,
  intersectBoxes,
  OrthantError,
  positionFrom,
  WHOLE_LATTICE,
} from "@orthant/core";
import { INTEREST_BOXES_MAX, type InterestArea, type Vector } from "@orthant/protocol";

/** What a client wants to hold: everything within some chunks of a point, or boxes of chunks. */
export type Interest = InterestAround | InterestInBoxes;

/** All chunks within a distance, on every axis of the world. */
export interface InterestAround {
  /** In voxels. The server sends regions near it first. */
  readonly center: Vector;
  readonly radiusChunks: number;
  /** In voxels per second. The server sends regions ahead before those behind. */
  readonly motion?: Vector;
}

/** Boxes of chunks. The server sends regions near the center, in voxels, first. */
export interface InterestInBoxes {
  readonly boxes: readonly Box[];
  readonly center?: Vector;
  readonly motion?: Vector;
}

const STILL: Vector = [0, 0, 0, 0];

/** Converts an interest for a world of this shape. Throws `ORT_ARGUMENT` or `ORT_LIMIT` if it is invalid. */
export function interestArea(shape: ChunkShape, interest: Interest): Required<InterestArea> {
  const boxes = "boxes" in interest ? interest.boxes : [boxAround(shape, interest)];
  if (boxes.length === 0 || boxes.length > INTEREST_BOXES_MAX) {
    throw new OrthantError("ORT_LIMIT", `${boxes.length} boxes where 1 to ${INTEREST_BOXES_MAX} may be`);
  }
  const center = interest.center ?? middleOf(shape, boxes[0] ?? WHOLE_LATTICE);
  return { boxes, center, motion: interest.motion ?? STILL };
}

/** Returns true when two areas are equal to a server: the same boxes, center chunk and motion. */
export function interestsEqual(
  { extents }: ChunkShape,
  a: Required<InterestArea>,
  b: Required<InterestArea>,
): boolean {
  return (
    a.boxes.length === b.boxes.length &&
    a.boxes.every((box, index) => boxEquals(box, b.boxes[index] ?? WHOLE_LATTICE)) &&
    AXES.every(
      (axis) =>
        Math.floor(a.center[axis] / extents[axis]) === Math.floor(b.center[axis] / extents[axis]) &&
        Math.round(a.motion[axis]) === Math.round(b.motion[axis]),
    )
  );
}

function boxAround(shape: ChunkShape, { center, radiusChunks }: InterestAround): Box {
  if (!Number.isInteger(radiusChunks) || radiusChunks < 0) {
    throw new OrthantError("ORT_ARGUMENT", `a radius of ${radiusChunks} chunks`);
  }
  const voxel = positionFrom((axis) => Math.floor(center[axis]));
  const chunk = chunkOfVoxel(shape, voxel);
  // An axis with one voxel per chunk has nothing to the sides.
  const radius = (axis: Axis): number => (shape.extents[axis] === 1 ? 0 : radiusChunks);
  const around: Box = {
    min: positionFrom((axis) => chunk[axis] - radius(axis)),
    max: positionFrom((axis) => chunk[axis] + radius(axis) + 1),
  };
  return intersectBoxes(around, WHOLE_LATTICE) ?? around;
}

function middleOf({ extents }: ChunkShape, { min, max }: Box): Vector {
  return positionFrom((axis) => ((min[axis] + max[axis]) / 2) * extents[axis]);
}
