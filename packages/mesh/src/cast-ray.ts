import { AIR, type Dimensions, type Position, type Vector } from "@orthant/core";
import { callback, fieldsOf, wrongArgument } from "@orthant/core/arguments";
import type { BlockBox } from "@orthant/core/chunk";
import { AXIS_NAMES } from "@orthant/core/lattice";
import {
  type PointLike,
  requirePlace,
  requirePoint,
  requireRange,
  requireSource,
  type VoxelReader,
} from "./voxel-reader.ts";

/** Maximum length of a ray, in voxels. */
export const RAY_DISTANCE_MAX = 4_096;

/** A side of a voxel: the direction that it faces. */
export type Face = `${"+" | "-"}${(typeof AXIS_NAMES)[number]}`;

/** Where a ray hits. */
export interface RayHit<D extends Dimensions> {
  /** The voxel that the ray hits. */
  readonly position: Position<D>;
  /** The voxel in front of the hit face, where a player places a block. `position` itself without a face. */
  readonly adjacent: Position<D>;
  /** The side of the voxel that the ray enters; `undefined` when the ray starts inside the voxel. */
  readonly face: Face | undefined;
  /** The direction that the face looks in: 1 or -1 on its axis and 0 on the others; all 0 without a face. */
  readonly normal: Vector<D>;
  readonly block: number;
  /** From the origin to the face, in voxels. */
  readonly distance: number;
}

/** How a ray flies. */
export interface RayOptions {
  /** Whether a block stops the ray; by default every block except air does. */
  readonly stopsAt?: (block: number) => boolean;
}

const rayOptions = fieldsOf<RayOptions>({ stopsAt: callback });

/**
 * Follows a ray from voxel to voxel up to the first block that stops it. Returns `undefined` when there is none
 * within `maxDistance`, and when the ray comes to a voxel that is not in memory. The length of the direction does not
 * matter.
 *
 * @example
 * const hit = castRay(world, camera.position, camera.getWorldDirection(new Vector3()), 8);
 * if (hit !== undefined) await world.set(hit.adjacent, world.blocks.id("brick"));
 */
export function castRay<D extends Dimensions>(
  world: VoxelReader<D>,
  origin: PointLike<D>,
  direction: PointLike<D>,
  maxDistance: number,
  options: RayOptions = {},
): RayHit<D> | undefined {
  requireSource(world, "voxelAt", 4);
  const from = requirePlace("origin", origin, world.dimensions);
  const unit = unitOf(requirePoint("direction", direction, world.dimensions));
  requireRange("maxDistance", maxDistance, 0, RAY_DISTANCE_MAX);
  const { stopsAt = (block) => block !== AIR } = rayOptions("options", options);
  // Adding 0 turns -0 into 0.
  const cell = from.map((coordinate) => Math.floor(coordinate) + 0);
  // Distances come from the coordinates of the faces, not from a sum, so that errors do not add up on the way.
  const distanceTo = (axis: number): number => {
    const part = unit[axis] as number;
    if (part === 0) return Number.POSITIVE_INFINITY;
    return Math.max(0, ((cell[axis] as number) + (part > 0 ? 1 : 0) - (from[axis] as number)) / part);
  };
  const next = cell.map((_, axis) => distanceTo(axis));
  let entered: number | undefined;
  for (let distance = 0; distance <= maxDistance; ) {
    const block = world.voxelAt([...cell] as unknown as Position<D>);
    if (block === undefined) return undefined;
    if (stopsAt(block)) {
      const boxes = world.blocks.boxesOf(block);
      // What stops nothing, such as an open door, is still there for a ray.
      if (boxes === undefined || boxes.length === 0) return hitOf<D>(cell, unit, entered, block, distance);
      const entry = firstEntry(boxes, cell, from, unit);
      if (entry !== undefined && entry.distance <= maxDistance)
        return hitOf<D>(cell, unit, entry.axis, block, entry.distance);
    }
    const axis = leastOf(next);
    distance = next[axis] as number;
    cell[axis] = (cell[axis] as number) + Math.sign(unit[axis] as number);
    next[axis] = distanceTo(axis);
    entered = axis;
  }
  return undefined;
}

/** Where a ray enters a box: on an axis, unless it begins inside. */
interface BoxEntry {
  readonly distance: number;
  readonly axis: number | undefined;
}

/** Returns where a ray enters the first of the boxes in a voxel. */
function firstEntry(
  boxes: readonly BlockBox[],
  cell: readonly number[],
  from: readonly number[],
  unit: readonly number[],
): BoxEntry | undefined {
  let first: BoxEntry | undefined;
  for (const box of boxes) {
    const entry = entryInto(box, cell, from, unit);
    if (entry !== undefined && entry.distance < (first?.distance ?? Number.POSITIVE_INFINITY)) first = entry;
  }
  return first;
}

function entryInto(
  [min, max]: BlockBox,
  cell: readonly number[],
  from: readonly number[],
  unit: readonly number[],
): BoxEntry | undefined {
  let [distance, leave] = [0, Number.POSITIVE_INFINITY];
  let entered: number | undefined;
  for (let axis = 0; axis < cell.length; axis++) {
    const [part, start] = [unit[axis] as number, from[axis] as number];
    const low = (cell[axis] as number) + (min[axis] as number);
    const high = (cell[axis] as number) + (max[axis] as number);
    if (start < low || start >= high) {
      // Towards the box: from below upwards, or from above downwards.
      if (start < low ? part <= 0 : part >= 0) return undefined;
      const entry = ((start < low ? low : high) - start) / part;
      if (entered === undefined || entry > distance) [distance, entered] = [entry, axis];
    }
    if (part !== 0) leave = Math.min(leave, ((part > 0 ? high : low) - start) / part);
  }
  // One that begins inside touches the box, even if it leaves it at once.
  return entered === undefined || distance < leave ? { distance: distance + 0, axis: entered } : undefined;
}

/** Returns a direction with the length 1. */
function unitOf(direction: readonly number[]): readonly number[] {
  const longest = Math.max(...direction.map(Math.abs));
  if (longest === 0) throw wrongArgument("direction", direction, "at least one of its numbers is not 0");
  // Divided by the longest part first, directions of any length neither overflow nor vanish.
  const scaled = direction.map((part) => part / longest);
  const length = Math.hypot(...scaled);
  return scaled.map((part) => part / length);
}

function hitOf<D extends Dimensions>(
  cell: readonly number[],
  unit: readonly number[],
  entered: number | undefined,
  block: number,
  distance: number,
): RayHit<D> {
  const sign = entered !== undefined && (unit[entered] as number) > 0 ? -1 : 1;
  const normal = cell.map((_, axis) => (axis === entered ? sign : 0));
  const adjacent = cell.map((coordinate, axis) => coordinate + (normal[axis] as number));
  const face = entered === undefined ? undefined : faceOf(entered, sign);
  const tuple = (numbers: readonly number[]): Position<D> => numbers as unknown as Position<D>;
  return { position: tuple(cell), adjacent: tuple(adjacent), face, normal: tuple(normal), block, distance };
}

function faceOf(axis: number, sign: 1 | -1): Face {
  return `${sign > 0 ? "+" : "-"}${AXIS_NAMES[axis] as (typeof AXIS_NAMES)[number]}`;
}

function leastOf(numbers: readonly number[]): number {
  let least = 0;
  for (let index = 1; index < numbers.length; index++) {
    if ((numbers[index] as number) < (numbers[least] as number)) least = index;
  }
  return least;
}
