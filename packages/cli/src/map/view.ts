import type { Axis, Box, ChunkShape, Position } from "@orthant/core";
import {
  AXES,
  AXIS_NAMES,
  boxAt,
  chunksOfVoxels,
  positionFrom,
  unionBox,
  voxelsOfChunks,
} from "@orthant/core/lattice";
import type { WorldState } from "@orthant/core/tree";
import type { Save } from "@orthant/save";
import { UsageError } from "../command/usage.ts";

const UP: Axis = 1;

/** The projection of a world onto a picture. */
export interface MapView {
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
export interface MapSlice {
  readonly axis: Axis;
  readonly at: readonly number[];
}

/** Parses `w=3`, or `w=0,4,8` for one picture each. */
export function parseSlice(text: string): MapSlice {
  const { name, list } =
    /^(?<name>[xyzw])=(?<list>-?\d{1,12}(?:,-?\d{1,12}){0,63})$/.exec(text)?.groups ?? {};
  const axis = AXES.find((index) => AXIS_NAMES[index] === name);
  if (axis === undefined || list === undefined) {
    throw new UsageError(`"${text}" is not a slice; write it as w=3 or w=0,4,8`);
  }
  return { axis, at: list.split(",").map(Number) };
}

/** Parses `x`, `y`, `z` or `w`. */
export function parseAxis(text: string): Axis {
  const axis = AXES.find((index) => AXIS_NAMES[index] === text);
  if (axis === undefined) throw new UsageError(`"${text}" is not an axis; there are x, y, z and w`);
  return axis;
}

/**
 * Returns the view of a world: two axes span the picture, a third is the viewing axis, and a fourth has one
 * picture for each of several coordinates. Cut axes and axes of a single voxel need none of that.
 */
export function viewOf(
  shape: ChunkShape,
  slices: readonly MapSlice[],
  along: Axis | undefined,
  sheetAt: readonly number[],
): MapView {
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
export function cutBox({ min, max }: Box, { axis, at: [coordinate = 0] }: MapSlice): Box {
  const replaced = (position: Position, value: number): Position =>
    positionFrom((index) => (index === axis ? value : position[index]));
  return { min: replaced(min, coordinate), max: replaced(max, coordinate + 1) };
}

/** Leaves read to find edits; beyond this limit only the extents of the leaves count. */
const LEAVES_READ_MAX = 256;
/** Voxels along an axis of the picture: minimum, maximum, and margin around the edits. */
const EXTENT_MIN = 192;
/** A sheet shows four-dimensional worlds, which are wide. */
const SHEET_EXTENT_MIN = 320;
const EXTENT_MAX = 1024;
const MARGIN = 16;
/** Margin where there is nothing around the edits. */
const EMPTY_MARGIN = 4;
/** Vertical distance visible from the spawn point and the edits. */
const REACH = 128;
/** Distance from the spawn point to search for the end of a bounded world. */
const PROBE = 768;

/** Returns a box with the edits, the spawn point and their surroundings, if there are any; all of a bounded world. */
export async function defaultBox(
  content: Save,
  state: WorldState,
  spawn: Position,
  { along, sheet }: MapView,
): Promise<Box> {
  const { shape } = state;
  const made = await boundsOfMade(content, shape);
  const home = boxAt(spawn);
  const seen = unionBox(made, home);
  const probe = inside(shape, { min: moved(spawn, -PROBE), max: moved(spawn, PROBE) });
  const generated = state.queryContentBounds(chunksOfVoxels(shape, probe));
  const world = generated && voxelsOfChunks(shape, generated);
  const isAlone = made !== undefined && generated === undefined;
  const margin = isAlone ? EMPTY_MARGIN : MARGIN;
  const surroundings = sheet === undefined ? EXTENT_MIN : SHEET_EXTENT_MIN;
  const least = isAlone ? 0 : surroundings;
  const range = (axis: Axis): readonly [number, number] => {
    if (shape.extents[axis] === 1) return [0, 1];
    const [from, to] = [seen.min[axis], seen.max[axis]];
    if (axis === along) return [from - REACH, to + REACH];
    const hasEnd =
      world !== undefined && world.min[axis] > probe.min[axis] && world.max[axis] < probe.max[axis];
    if (hasEnd)
      return widened(Math.min(from, world.min[axis]), Math.max(to, world.max[axis]), 0, spawn[axis]);
    return widened(from - margin, to + margin, least, made === undefined ? spawn[axis] : (from + to) / 2);
  };
  return inside(shape, {
    min: positionFrom((axis) => range(axis)[0]),
    max: positionFrom((axis) => range(axis)[1]),
  });
}

/** Extends a range to at least `least` voxels, and cuts one that is too long around the middle. */
function widened(from: number, to: number, least: number, middle: number): readonly [number, number] {
  const extent = to - from;
  if (extent > EXTENT_MAX) return [Math.floor(middle - EXTENT_MAX / 2), Math.floor(middle + EXTENT_MAX / 2)];
  const more = Math.max(0, least - extent);
  return [from - Math.ceil(more / 2), to + Math.floor(more / 2)];
}

/** Returns the voxels of all chunks that are stored; `undefined` if there are none. */
export async function boundsOfMade(content: Save, shape: ChunkShape): Promise<Box | undefined> {
  let bounds: Box | undefined;
  let read = 0;
  for await (const leaf of content.index.all()) {
    if (read++ >= LEAVES_READ_MAX) {
      bounds = unionBox(bounds, leaf.cube);
      continue;
    }
    for (const { position } of await content.readStored(leaf)) {
      bounds = unionBox(bounds, boxAt(position));
    }
  }
  return bounds && voxelsOfChunks(shape, bounds);
}

/** A world whose chunks are one voxel deep has one layer of them. */
function inside({ extents }: ChunkShape, { min, max }: Box): Box {
  const isFlat = (axis: Axis): boolean => extents[axis] === 1;
  return {
    min: positionFrom((axis) => (isFlat(axis) ? 0 : min[axis])),
    max: positionFrom((axis) => (isFlat(axis) ? 1 : max[axis])),
  };
}

function moved(position: Position, by: number): Position {
  return positionFrom((axis) => position[axis] + by);
}
