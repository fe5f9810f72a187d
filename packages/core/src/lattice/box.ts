import type { ByteReader } from "../bytes/byte-reader.ts";
import type { ByteWriter } from "../bytes/byte-writer.ts";
import type { Codec } from "../bytes/codec.ts";
import { I32_MAX, I32_MIN } from "../bytes/integers.ts";
import { OrthantError } from "../error/orthant-error.ts";
import { AXES, type Axis, type Position, positionFrom, positionsEqual } from "./position.ts";

/** All positions from `min` up to but excluding `max`. Never empty: functions return `undefined` instead. */
export interface Box {
  readonly min: Position;
  readonly max: Position;
}

const LATTICE_END = I32_MAX + 1;

/** All chunk positions: 32-bit coordinates on all four axes. */
export const WHOLE_LATTICE: Box = {
  min: [I32_MIN, I32_MIN, I32_MIN, I32_MIN],
  max: [LATTICE_END, LATTICE_END, LATTICE_END, LATTICE_END],
};

/** Returns the box from `min` up to but excluding `max`. Throws `ORT_ARGUMENT` unless it is a valid box. */
export function boxBetween(min: Position, max: Position): Box {
  if (!isBox(min, max)) {
    throw new OrthantError(
      "ORT_ARGUMENT",
      `[${min}] to [${max}] is not a box: it takes whole numbers, each minimum below its maximum`,
    );
  }
  return { min, max };
}

/** Returns the box of one position. */
export function boxAt(position: Position): Box {
  return cubeAt(position, 1);
}

/** Returns the box with the given edge on every axis. */
export function cubeAt(min: Position, edge: number): Box {
  return boxBetween(min, [min[0] + edge, min[1] + edge, min[2] + edge, min[3] + edge]);
}

/** Returns the number of positions of a box on each axis. */
export function boxExtents({ min, max }: Box): Position {
  return positionFrom((axis) => max[axis] - min[axis]);
}

/** Whether the position lies in the box. */
export function boxContains({ min, max }: Box, position: Position): boolean {
  return (
    position[0] >= min[0] &&
    position[0] < max[0] &&
    position[1] >= min[1] &&
    position[1] < max[1] &&
    position[2] >= min[2] &&
    position[2] < max[2] &&
    position[3] >= min[3] &&
    position[3] < max[3]
  );
}

/** Whether every position of `inner` lies in `outer`. */
export function boxContainsBox(outer: Box, { min, max }: Box): boolean {
  const { min: first, max: end } = outer;
  return (
    first[0] <= min[0] &&
    max[0] <= end[0] &&
    first[1] <= min[1] &&
    max[1] <= end[1] &&
    first[2] <= min[2] &&
    max[2] <= end[2] &&
    first[3] <= min[3] &&
    max[3] <= end[3]
  );
}

/** Whether two boxes are equal. */
export function boxEquals(a: Box, b: Box): boolean {
  return positionsEqual(a.min, b.min) && positionsEqual(a.max, b.max);
}

/** Whether two boxes have a position in common. */
export function boxesIntersect({ min, max }: Box, { min: first, max: end }: Box): boolean {
  return (
    min[0] < end[0] &&
    first[0] < max[0] &&
    min[1] < end[1] &&
    first[1] < max[1] &&
    min[2] < end[2] &&
    first[2] < max[2] &&
    min[3] < end[3] &&
    first[3] < max[3]
  );
}

/** Returns the intersection of two boxes; `undefined` when it is empty. */
export function intersectBoxes(a: Box, b: Box): Box | undefined {
  if (!boxesIntersect(a, b)) return undefined;
  return {
    min: positionFrom((axis) => Math.max(a.min[axis], b.min[axis])),
    max: positionFrom((axis) => Math.min(a.max[axis], b.max[axis])),
  };
}

/** Returns the smallest box that contains both; without a first one, the second. */
export function unionBox(a: Box | undefined, b: Box): Box {
  if (a === undefined) return b;
  return {
    min: positionFrom((axis) => Math.min(a.min[axis], b.min[axis])),
    max: positionFrom((axis) => Math.max(a.max[axis], b.max[axis])),
  };
}

/** Splits a box on an axis; `at` starts the upper part. Throws `ORT_ARGUMENT` if a part would be empty. */
export function splitBox(box: Box, axis: Axis, at: number): readonly [low: Box, high: Box] {
  return [
    boxBetween(box.min, replaceAxis(box.max, axis, at)),
    boxBetween(replaceAxis(box.min, axis, at), box.max),
  ];
}

/**
 * Returns a box without `hole` as at most eight disjoint boxes: for each axis from x to w, the piece below
 * the hole and then the piece above it.
 */
export function subtractBox(box: Box, hole: Box): readonly Box[] {
  const common = intersectBoxes(box, hole);
  if (common === undefined) return [box];
  const pieces: Box[] = [];
  let { min, max } = box;
  for (const axis of AXES) {
    const holeMin = common.min[axis];
    const holeMax = common.max[axis];
    if (min[axis] < holeMin) pieces.push({ min, max: replaceAxis(max, axis, holeMin) });
    if (holeMax < max[axis]) pieces.push({ min: replaceAxis(min, axis, holeMax), max });
    min = replaceAxis(min, axis, holeMin);
    max = replaceAxis(max, axis, holeMax);
  }
  return pieces;
}

/** Returns the position in a box that is nearest to a position. */
export function clampInto({ min, max }: Box, position: Position): Position {
  return positionFrom((axis) => Math.min(Math.max(position[axis], min[axis]), max[axis] - 1));
}

/** Returns the number of positions in a box: exact up to 2^53, then the nearest double. Always finite. */
export function boxVolume({ min, max }: Box): number {
  return (max[0] - min[0]) * (max[1] - min[1]) * (max[2] - min[2]) * (max[3] - min[3]);
}

/** Whether `min` and `max` are safe integers with a position between them. */
export function isBox(min: Position, max: Position): boolean {
  return AXES.every(
    (axis) => Number.isSafeInteger(min[axis]) && Number.isSafeInteger(max[axis]) && min[axis] < max[axis],
  );
}

function replaceAxis(position: Position, replaced: Axis, coordinate: number): Position {
  return positionFrom((axis) => (axis === replaced ? coordinate : position[axis]));
}

/** Yields the positions of a box, as voxels are numbered: x runs fastest, then y, z and w. */
export function* positionsMinorToMajor({ min, max }: Box): Generator<Position, void, undefined> {
  for (let w = min[3]; w < max[3]; w++)
    for (let z = min[2]; z < max[2]; z++)
      for (let y = min[1]; y < max[1]; y++) for (let x = min[0]; x < max[0]; x++) yield [x, y, z, w];
}

/** Yields the positions of a box in the order of `comparePositions`: w runs fastest, then z, y and x. */
export function* positionsLexicographic({ min, max }: Box): Generator<Position, void, undefined> {
  for (let x = min[0]; x < max[0]; x++)
    for (let y = min[1]; y < max[1]; y++)
      for (let z = min[2]; z < max[2]; z++) for (let w = min[3]; w < max[3]; w++) yield [x, y, z, w];
}

/** A position as four signed 32-bit varints. */
export const positionCodec: Codec<Position> = {
  write(out, position) {
    for (const axis of AXES) out.varI32(position[axis]);
  },
  read: (input) => [input.varI32(), input.varI32(), input.varI32(), input.varI32()],
};

/** A box of chunk positions: the lowest position, then the highest, which in encoded form is inclusive. */
export const boxCodec: Codec<Box> = {
  write(out: ByteWriter, { min, max }: Box): void {
    if (!isBox(min, max)) throw new OrthantError("ORT_ARGUMENT", `[${min}] to [${max}] is not a box`);
    positionCodec.write(out, min);
    positionCodec.write(
      out,
      positionFrom((axis) => max[axis] - 1),
    );
  },

  read(input: ByteReader): Box {
    const min = positionCodec.read(input);
    const last = positionCodec.read(input);
    if (AXES.some((axis) => last[axis] < min[axis])) {
      throw input.fail("ORT_BOX", `a box from [${min}] to [${last}]`);
    }
    return { min, max: positionFrom((axis) => last[axis] + 1) };
  },
};
