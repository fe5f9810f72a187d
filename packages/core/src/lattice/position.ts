import { I32_MAX, I32_MIN } from "../bytes/integers.ts";
import { OrthantError } from "../error/orthant-error.ts";

/** The number of axes that a world can have. */
export type Dimensions = 2 | 3 | 4;

/** One number for each axis, by the number of axes. */
interface Coordinates {
  readonly 2: readonly [x: number, y: number];
  readonly 3: readonly [x: number, y: number, z: number];
  readonly 4: readonly [x: number, y: number, z: number, w: number];
}

/**
 * Whole coordinates of a voxel, chunk or region, as many as the world has axes: `Position<3>` is `[x, y, z]`.
 * Code that works for all worlds uses four, with 0 on the axes that a world lacks.
 */
export type Position<D extends Dimensions = 4> = Coordinates[D];

/** A point or direction, in voxels, with as many numbers as the world has axes. */
export type Vector<D extends Dimensions = 4> = Coordinates[D];

/** One of the four axes: x, y, z, w are 0, 1, 2, 3. */
export type Axis = 0 | 1 | 2 | 3;

/** All axes, x first. */
export const AXES: readonly Axis[] = [0, 1, 2, 3];

/** The names of the axes, by their numbers. */
export const AXIS_NAMES = ["x", "y", "z", "w"] as const;

/** Orders positions lexicographically: x before y before z before w. */
export function comparePositions(a: Position, b: Position): number {
  return a[0] - b[0] || a[1] - b[1] || a[2] - b[2] || a[3] - b[3];
}

/** Whether two positions are equal. */
export function positionsEqual(a: Position, b: Position): boolean {
  return a[0] === b[0] && a[1] === b[1] && a[2] === b[2] && a[3] === b[3];
}

/** Throws `ORT_POSITION_RANGE` unless all four coordinates are 32-bit integers, as those of chunks are. */
export function requireLatticePosition(x: number, y: number, z: number, w: number): void {
  // A bitwise operation leaves exactly the 32-bit integers unchanged.
  if ((x | 0) === x && (y | 0) === y && (z | 0) === z && (w | 0) === w) return;
  throw new OrthantError(
    "ORT_POSITION_RANGE",
    `[${x}, ${y}, ${z}, ${w}] is not from ${I32_MIN} to ${I32_MAX}`,
  );
}

/** Returns a position whose coordinates come from a function of the axis. */
export function positionFrom(coordinate: (axis: Axis) => number): Position {
  return [coordinate(0), coordinate(1), coordinate(2), coordinate(3)];
}

/** Returns the quotient, rounded down: -1 by 4 is -1. Exact for safe integers and divisors from 1 up. */
export function floorDivide(dividend: number, divisor: number): number {
  return Math.floor(dividend / divisor);
}

/** Returns the remainder of {@link floorDivide}, from 0 up to but excluding the divisor. */
export function floorModulo(dividend: number, divisor: number): number {
  const remainder = dividend % divisor;
  return remainder < 0 ? remainder + divisor : remainder + 0; // adding 0 turns -0, as in -4 % 4, into 0
}
