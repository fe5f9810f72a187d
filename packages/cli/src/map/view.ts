import { AXES, type Axis, type Box, type ChunkShape, type Position, positionFrom } from "@orthant/core";
import { UsageError } from "../usage-error.ts";

/** The names of the axes, in order. */
export const AXIS_NAMES = ["x", "y", "z", "w"] as const;
const UP: Axis = 1;

/** The projection of a world onto a picture. */
export interface View {
  /** To the right. */
  readonly across: Axis;
  /** Down in the picture, or up when {@link isUpright}. */
  readonly down: Axis;
  /** Whether greater coordinates are higher in the picture, as for `y`, which is up in the world. */
  readonly isUpright: boolean;
  /** The viewing axis, seen from its greatest coordinate; `undefined` for a cut, which shows every voxel. */
  readonly along: Axis | undefined;
  /** An axis with one picture for each of several coordinates. */
  readonly sheet: { readonly axis: Axis; readonly at: readonly number[] } | undefined;
}

/** A cut through a world: one coordinate of an axis, or several for one picture each. */
export interface Slice {
  readonly axis: Axis;
  readonly at: readonly number[];
}

/** Parses `w=3`, or `w=0,4,8` for one picture each. */
export function parseSlice(text: string): Slice {
  const { name, list } =
    /^(?<name>[xyzw])=(?<list>-?\d{1,12}(?:,-?\d{1,12}){0,63})$/.exec(text)?.groups ?? {};
  const axis = AXES.find((index) => AXIS_NAMES[index] === name);
  if (axis === undefined || list === undefined) {
    throw new UsageError(`"${text}" is no slice; one looks like w=3 or w=0,4,8`);
  }
  return { axis, at: list.split(",").map(Number) };
}

/** Parses `x`, `y`, `z` or `w`. */
export function parseAxis(text: string): Axis {
  const axis = AXES.find((index) => AXIS_NAMES[index] === text);
  if (axis === undefined) throw new UsageError(`"${text}" is no axis; there are x, y, z and w`);
  return axis;
}

/**
 * Returns the view of a world: two axes span the picture, a third is the viewing axis, and a fourth has one
 * picture for each of several coordinates. Cut axes and axes of a single voxel need none of that.
 */
export function viewOf(
  shape: ChunkShape,
  slices: readonly Slice[],
  along: Axis | undefined,
  sheetAt: readonly number[],
): View {
  const cut = new Set(slices.filter(({ at }) => at.length === 1).map(({ axis }) => axis));
  const several = slices.filter(({ at }) => at.length > 1);
  if (several.length > 1) throw new UsageError("--slice: only one axis may have several coordinates");
  if (new Set(slices.map(({ axis }) => axis)).size < slices.length) {
    throw new UsageError("--slice: an axis is cut twice; several coordinates are given as w=0,4,8");
  }
  let free = AXES.filter((axis) => shape.extents[axis] > 1 && !cut.has(axis));
  let sheet = several[0];
  if (sheet === undefined && free.length === 4) {
    const axis = ([3, 2, 0, 1] as const).find((candidate) => candidate !== along) as Axis;
    sheet = { axis, at: sheetAt };
  }
  free = free.filter((axis) => axis !== sheet?.axis);
  if (free.length < 2) throw new UsageError("--slice: a picture needs two axes that are not cut");
  const looked = free.length === 2 ? undefined : (along ?? (free.includes(UP) ? UP : free.at(-1)));
  if (looked !== undefined && !free.includes(looked)) {
    throw new UsageError(`--axis: ${AXIS_NAMES[looked]} is cut, or has a single voxel`);
  }
  if (free.length === 2 && along !== undefined) {
    throw new UsageError("--axis: with two axes left there is nothing to look along");
  }
  const [first, second] = free.filter((axis) => axis !== looked) as [Axis, Axis];
  const across = first === UP ? second : first;
  const down = first === UP ? first : second;
  return { across, down, isUpright: down === UP, along: looked, sheet };
}

/** Returns the box reduced to one coordinate on the cut axis. */
export function cutBox({ min, max }: Box, { axis, at: [coordinate = 0] }: Slice): Box {
  const replaced = (position: Position, value: number): Position =>
    positionFrom((index) => (index === axis ? value : position[index]));
  return { min: replaced(min, coordinate), max: replaced(max, coordinate + 1) };
}
