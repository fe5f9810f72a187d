import type { BlockBox } from "@orthant/core/chunk";

/** The axis that points up. */
export const UP = 1;
/** An overlap below this, in voxels, is a touch: the rounding of coordinates causes it. */
const TOUCH = 2 ** -16;
/** The same for places far away, as a share of the coordinates. */
const TOUCH_SHARE = 2 ** -50;

/** The movement of a box along one axis. Times run from 0 at the start to 1 at the end of the motion. */
export interface Sweep {
  /** 1 or -1, or 0 without motion. */
  readonly sign: number;
  readonly motion: number;
  /** From the lower end of the box to its position. */
  readonly offset: number;
  /** The lower end and the upper end at the start. */
  readonly low: number;
  readonly high: number;
  /** The farthest layer of voxels that the box has entered. */
  front: number;
  /** When, and at which face, the box stopped. */
  stop: { readonly time: number; readonly face: number } | undefined;
}

/** Whether a voxel stops a box. What stops it only in a part of the voxel is added to the obstacles instead. */
export type Stops = (voxel: readonly number[], obstacles: Obstacles | undefined) => boolean;

/** Moves a box until something stops it on each axis. Without shapes, each voxel stops it as a whole or not at all. */
export function sweepAll(
  from: readonly number[],
  size: readonly number[],
  wanted: readonly number[],
  stops: Stops,
  hasShapes: boolean,
): readonly Sweep[] {
  const touch = TOUCH + Math.max(...from.map(Math.abs)) * TOUCH_SHARE;
  const sweeps = from.map((coordinate, axis) => {
    const edge = size[axis] as number;
    return sweepOf(coordinate, edge, wanted[axis] as number, axis === UP ? 0 : edge / 2, touch);
  });
  const obstacles = hasShapes ? new Obstacles(touch) : undefined;
  if (obstacles !== undefined) {
    // Of a voxel that the box is in, only the boxes beside it can stop it.
    const inside = sweeps.map((sweep) => rangeAt(sweep, 0, touch));
    isOpen(inside, (voxel) => stops(voxel, obstacles) && false);
  }
  const isStopped = (voxel: readonly number[]): boolean => stops(voxel, obstacles);
  for (;;) {
    const axis = nextAxis(sweeps);
    const sweep = sweeps[axis];
    const time = sweep === undefined ? 1 : nextTime(sweep);
    const hit = obstacles?.firstHit(sweeps);
    // At the same time first, so that a box that lies on a face has not entered the voxels behind it.
    if (hit !== undefined && hit.time <= time) {
      stopAt(sweeps[hit.axis] as Sweep, hit);
      obstacles?.forgetHits();
    } else if (sweep === undefined) return sweeps;
    else if (isOpen(layerRanges(sweeps, axis, time, touch), isStopped)) sweep.front += sweep.sign;
    else {
      sweep.stop = { time, face: nextFace(sweep) };
      obstacles?.forgetHits();
    }
  }
}

function stopAt(sweep: Sweep, { time, face }: ObstacleHit): void {
  sweep.stop = { time, face };
  sweep.front = sweep.sign > 0 ? Math.ceil(face) - 1 : Math.floor(face);
}

function sweepOf(coordinate: number, edge: number, motion: number, offset: number, touch: number): Sweep {
  const low = coordinate - offset;
  const high = low + edge;
  const front = motion > 0 ? Math.ceil(high - touch) - 1 : Math.floor(low + touch);
  return { sign: Math.sign(motion), motion, offset, low, high, front, stop: undefined };
}

/** Returns the axis on which the box enters the next layer of voxels first; -1 when it enters no other. */
function nextAxis(sweeps: readonly Sweep[]): number {
  let first = -1;
  let least = 1;
  for (const [axis, sweep] of sweeps.entries()) {
    const time = nextTime(sweep);
    if (time >= least) continue;
    first = axis;
    least = time;
  }
  return first;
}

/** Returns when the box reaches the face in front of it; infinity if it does not move towards one. */
function nextTime(sweep: Sweep): number {
  if (sweep.sign === 0 || sweep.stop !== undefined) return Number.POSITIVE_INFINITY;
  const end = sweep.sign > 0 ? sweep.high : sweep.low;
  return Math.max(0, (nextFace(sweep) - end) / sweep.motion);
}

function nextFace({ sign, front }: Sweep): number {
  return sign > 0 ? front + 1 : front;
}

/** Returns the voxels of the layer that the box enters, within its extent on the other axes at that time. */
function layerRanges(
  sweeps: readonly Sweep[],
  entered: number,
  time: number,
  touch: number,
): readonly VoxelRange[] {
  return sweeps.map((sweep, axis) => {
    const layer = sweep.front + sweep.sign;
    return axis === entered ? [layer, layer] : rangeAt(sweep, Math.min(time, sweep.stop?.time ?? 1), touch);
  });
}

/** The first and last of consecutive voxels along an axis. */
type VoxelRange = readonly [first: number, last: number];

/** Whether no voxel of the ranges stops the box. Ends at the first that does. */
function isOpen(ranges: readonly VoxelRange[], stops: (voxel: readonly number[]) => boolean): boolean {
  const voxel = ranges.map(([first]) => first + 0);
  for (;;) {
    if (stops(voxel)) return false;
    let axis = 0;
    for (; axis < voxel.length; axis++) {
      const [first, last] = ranges[axis] as VoxelRange;
      if ((voxel[axis] as number) < last) break;
      voxel[axis] = first;
    }
    if (axis === voxel.length) return true;
    voxel[axis] = (voxel[axis] as number) + 1;
  }
}

/**
 * Returns the first and last layer that the box is in at a time. In front, this counts the layers that it entered: two
 * axes may enter theirs at the same time, and the voxel at the corner belongs to both.
 */
function rangeAt({ sign, motion, low, high, front }: Sweep, time: number, touch: number): VoxelRange {
  const moved = motion * time;
  const first = sign < 0 ? front : Math.floor(low + moved + touch);
  const last = sign > 0 ? front : Math.ceil(high + moved - touch) - 1;
  return [first, last];
}

/** A box in a voxel that may stop the moving one. */
interface Obstacle {
  readonly min: readonly number[];
  readonly max: readonly number[];
}

/** When, on which axis and at which face an obstacle stops the box. */
interface ObstacleHit {
  readonly time: number;
  readonly axis: number;
  readonly face: number;
}

/** The boxes of the voxels that the moving box has entered. */
export class Obstacles {
  readonly #touch: number;
  readonly #all: Obstacle[] = [];
  /** The first hit of those before `#seen`. */
  #first: ObstacleHit | undefined;
  #seen = 0;

  constructor(touch: number) {
    this.#touch = touch;
  }

  add(voxel: readonly number[], boxes: readonly BlockBox[]): void {
    for (const [min, max] of boxes) {
      this.#all.push({
        min: voxel.map((at, axis) => at + (min[axis] as number)),
        max: voxel.map((at, axis) => at + (max[axis] as number)),
      });
    }
  }

  /** Returns which obstacle the box meets first; of several at a time that which was added first. */
  firstHit(sweeps: readonly Sweep[]): ObstacleHit | undefined {
    for (; this.#seen < this.#all.length; this.#seen++) {
      const hit = hitOf(sweeps, this.#all[this.#seen] as Obstacle, this.#touch);
      if (hit !== undefined && hit.time < (this.#first?.time ?? 1)) this.#first = hit;
    }
    return this.#first;
  }

  /** After the box stopped on an axis, it meets others. */
  forgetHits(): void {
    this.#first = undefined;
    this.#seen = 0;
  }
}

/** Returns when the box meets an obstacle on its way; never if it overlaps it at the start. */
function hitOf(sweeps: readonly Sweep[], { min, max }: Obstacle, touch: number): ObstacleHit | undefined {
  let [time, hitAxis] = [Number.NEGATIVE_INFINITY, -1];
  for (let axis = 0; axis < sweeps.length; axis++) {
    const sweep = sweeps[axis] as Sweep;
    const entry = entryOf(sweep, min[axis] as number, max[axis] as number, touch);
    if (entry === undefined) return undefined;
    if (entry < time || entry === Number.NEGATIVE_INFINITY) continue;
    // With the last axis the box enters the obstacle. One on which it has stopped does not stop it again.
    if (entry > time || sweep.stop === undefined) hitAxis = sweep.stop === undefined ? axis : -1;
    time = entry;
  }
  if (hitAxis < 0 || time >= 1) return undefined;
  for (let axis = 0; axis < sweeps.length; axis++) {
    const { sign, motion, low, high, stop } = sweeps[axis] as Sweep;
    const moved = motion * Math.min(time, stop?.time ?? 1);
    const hasLeft =
      sign > 0 ? low + moved + touch >= (max[axis] as number) : high + moved - touch <= (min[axis] as number);
    if (sign !== 0 && hasLeft) return undefined;
  }
  const isUpward = (sweeps[hitAxis] as Sweep).sign > 0;
  return { time, axis: hitAxis, face: (isUpward ? min : max)[hitAxis] as number };
}

/**
 * Returns when the box comes between two faces on an axis: minus infinity if it is there at the start, `undefined` if it
 * does not come there.
 */
function entryOf(
  { sign, motion, low, high, stop }: Sweep,
  min: number,
  max: number,
  touch: number,
): number | undefined {
  const isInside = sign > 0 ? high - touch > min : low + touch < max;
  if (sign === 0) return isInside && high - touch > min ? Number.NEGATIVE_INFINITY : undefined;
  if (stop !== undefined && (sign > 0 ? min >= stop.face : max <= stop.face)) return undefined;
  if (isInside) return Number.NEGATIVE_INFINITY;
  return Math.max(0, (sign > 0 ? min - high : max - low) / motion);
}
