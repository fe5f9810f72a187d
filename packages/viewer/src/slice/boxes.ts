import type { Axis, Box, ChunkShape, Position, Vector } from "@orthant/core";
import { AXIS_NAMES, positionFrom } from "@orthant/core/lattice";
import { axesOf, type Slice } from "./slice.ts";

/** A side of a box: its axis, and whether it is the one towards greater coordinates. */
export interface BoxSide {
  readonly axis: Axis;
  readonly isHigh: boolean;
}

/** Returns the box around two voxels. */
export function boxOfCorners(a: Position, b: Position): Box {
  return {
    min: positionFrom((axis) => Math.min(a[axis], b[axis])),
    max: positionFrom((axis) => Math.max(a[axis], b[axis]) + 1),
  };
}

/** Returns a box with these extents. */
export function boxFrom(min: Position, extents: Position): Box {
  return { min, max: positionFrom((axis) => min[axis] + extents[axis]) };
}

/** Returns a box elsewhere. */
export function moved({ min, max }: Box, axis: Axis, by: number): Box {
  const add = (corner: Position): Position => positionFrom((each) => corner[each] + (each === axis ? by : 0));
  return { min: add(min), max: add(max) };
}

/** Returns a box one side of which is moved by some voxels; at least one voxel stays. */
export function stretched(box: Box, { axis, isHigh }: BoxSide, by: number): Box {
  const { min, max } = box;
  const at = (corner: Position, value: number): Position =>
    positionFrom((each) => (each === axis ? value : corner[each]));
  return isHigh
    ? { min, max: at(max, Math.max(max[axis] + by, min[axis] + 1)) }
    : { min: at(min, Math.min(min[axis] + by, max[axis] - 1)), max };
}

/** Returns the copies of a box when a side is dragged by some voxels: how many fit, and how far each is from the one before. */
export function copiesOf(
  { min, max }: Box,
  { axis, isHigh }: BoxSide,
  by: number,
): { readonly count: number; readonly step: Position } {
  const size = max[axis] - min[axis];
  const count = Math.max(0, Math.round((isHigh ? by : -by) / size));
  return { count, step: positionFrom((each) => (each === axis ? (isHigh ? size : -size) : 0)) };
}

/** Returns the sides of a box that are seen in a slice. */
export function visibleSides({ right, up, back }: Slice, shape: ChunkShape): readonly BoxSide[] {
  const axes = axesOf(shape);
  return [right, up, back]
    .filter((axis) => axes.includes(axis))
    .flatMap((axis) => [
      { axis, isHigh: false },
      { axis, isHigh: true },
    ]);
}

/** Returns the middle of a side, in the layer of a slice. */
export function middleOf({ min, max }: Box, { axis, isHigh }: BoxSide, slice: Slice): Vector {
  return positionFrom((each) => {
    if (each === axis) return isHigh ? max[each] : min[each];
    if (each === slice.hidden) return slice.at + 0.5;
    return (min[each] + max[each]) / 2;
  });
}

/** Returns a position with as many coordinates as a world has, as operations have it in their texts. */
export function positionText(position: Position, shape: ChunkShape): string {
  return position.slice(0, dimensionsOfShape(shape)).join(",");
}

/** Returns a box as a selection. */
export function boxText({ min, max }: Box, shape: ChunkShape): string {
  return `box(${positionText(min, shape)},${positionText(max, shape)})`;
}

/** Returns the extents of a box for people. */
export function sizeText({ min, max }: Box, shape: ChunkShape): string {
  const extents = min.map((low, axis) => (max[axis] as number) - low);
  return extents.slice(0, dimensionsOfShape(shape)).join(" × ");
}

/** Returns the plane in which things are turned: about the vertical axis, and in worlds of two dimensions all of it. */
export function planeOf(slice: Slice, shape: ChunkShape): "xy" | "xz" | "xw" | "zw" {
  if (dimensionsOfShape(shape) === 2) return "xy";
  const [first, second] = [slice.right, slice.back].sort((a, b) => a - b) as [Axis, Axis];
  return `${AXIS_NAMES[first]}${AXIS_NAMES[second]}` as "xz" | "xw" | "zw";
}

function dimensionsOfShape({ extents }: ChunkShape): number {
  if (extents[3] > 1) return 4;
  return extents[2] > 1 ? 3 : 2;
}
