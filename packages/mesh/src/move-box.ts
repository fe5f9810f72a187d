import type { Dimensions, Position, Vector } from "@orthant/core";
import {
  callback,
  choiceOf,
  fieldsOf,
  type OptionTable,
  requireObject,
  wrongArgument,
} from "@orthant/core/arguments";
import {
  type PointLike,
  requirePlace,
  requirePoint,
  requireSource,
  type VoxelReader,
} from "./voxel-reader.ts";

/** Minimum length of a box's edge, in voxels. */
export const BOX_EDGE_MIN: number = 1 / 256;
/** Maximum length of a box's edge, in voxels. */
export const BOX_EDGE_MAX = 32;
/** Maximum motion on each axis in one call, in voxels. */
export const BOX_MOTION_MAX = 256;

/** The axis that points up. */
const UP = 1;
/** An overlap below this, in voxels, is a touch: the rounding of coordinates causes it. */
const TOUCH = 2 ** -16;
/** The same for places far away, as a share of the coordinates. */
const TOUCH_SHARE = 2 ** -50;

/** A box that moves through a world, such as a player. */
export interface MovingBox<D extends Dimensions> {
  /** The middle of the box's lower side: where the feet of a player are. */
  readonly position: PointLike<D>;
  /** The box's edges, in voxels: `[0.6, 1.8, 0.6]` is a person. */
  readonly size: PointLike<D>;
}

/** A box after it moved. */
export interface BoxMove<D extends Dimensions> {
  /** The new middle of the box's lower side. */
  readonly position: Vector<D>;
  readonly size: Vector<D>;
  /** How far the box moved. */
  readonly motion: Vector<D>;
  /** For each axis, the direction in which something stopped the box, 1 or -1; 0 where nothing did. */
  readonly hit: Vector<D>;
  /** Whether the box stopped on something below it, along y. */
  readonly onGround: boolean;
}

/** What stops a box. */
export interface MoveOptions {
  /** Whether a block stops the box; by default those that the catalog calls solid. */
  readonly isSolid?: (block: number) => boolean;
  /** How voxels count that are not in memory; by default as solid, so that no player falls while a world loads. */
  readonly unloaded?: "solid" | "air";
}

/** The checks of {@link MoveOptions}. */
export const moveOptionChecks: OptionTable<MoveOptions> = {
  isSolid: callback,
  unloaded: choiceOf("solid", "air"),
};

const moveOptions = fieldsOf<MoveOptions>(moveOptionChecks);

/**
 * Moves a box along a straight line. Where solid voxels stop it on one axis, it continues on the others: it slides along
 * walls, and never passes through one, however fast it is. A voxel that the box already overlaps does not stop it, so
 * that a player into whom a block was placed can leave.
 *
 * @example
 * velocity[1] -= 28 * seconds;
 * player = moveBox(world, player, velocity.map((part) => part * seconds));
 * if (player.onGround) velocity[1] = jumps ? 9 : 0;
 */
export function moveBox<D extends Dimensions>(
  world: VoxelReader<D>,
  box: MovingBox<D>,
  motion: PointLike<D>,
  options: MoveOptions = {},
): BoxMove<D> {
  requireSource(world, "voxelAt", 4);
  requireObject("box", box, "it is { position, size }");
  const from = requirePlace("box.position", box.position, world.dimensions);
  const size = requireEdges(box.size, world.dimensions);
  const wanted = requireMotion(motion, world.dimensions);
  const own = moveOptions("options", options);
  const { isSolid = (block: number) => world.blocks.isSolid(block), unloaded } = own;
  const isUnloadedSolid = unloaded !== "air";
  const stops = (voxel: readonly number[]): boolean => {
    const block = world.voxelAt([...voxel] as unknown as Position<D>);
    return block === undefined ? isUnloadedSolid : isSolid(block);
  };
  const sweeps = sweepAll(from, size, wanted, stops);
  const tuple = (of: (sweep: Sweep, axis: number) => number): Vector<D> =>
    sweeps.map(of) as unknown as Vector<D>;
  const end = tuple(({ stop, sign, offset }, axis) => {
    if (stop === undefined) return (from[axis] as number) + (wanted[axis] as number);
    return sign > 0 ? stop.face - (size[axis] as number) + offset : stop.face + offset;
  });
  return {
    position: end,
    size: size as unknown as Vector<D>,
    motion: tuple(({ stop }, axis) =>
      stop === undefined ? (wanted[axis] as number) + 0 : (end[axis] as number) - (from[axis] as number),
    ),
    hit: tuple(({ stop, sign }) => (stop === undefined ? 0 : sign)),
    onGround: sweeps[UP]?.stop !== undefined && sweeps[UP].sign < 0,
  };
}

/** The movement along one axis. Times run from 0 at the start to 1 at the end of the motion. */
interface Sweep {
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
  /** When, and at which face of the lattice, the box stopped. */
  stop: { readonly time: number; readonly face: number } | undefined;
}

function sweepAll(
  from: readonly number[],
  size: readonly number[],
  wanted: readonly number[],
  stops: (voxel: readonly number[]) => boolean,
): readonly Sweep[] {
  const touch = TOUCH + Math.max(...from.map(Math.abs)) * TOUCH_SHARE;
  const sweeps = from.map((coordinate, axis) => {
    const edge = size[axis] as number;
    return sweepOf(coordinate, edge, wanted[axis] as number, axis === UP ? 0 : edge / 2, touch);
  });
  for (;;) {
    const axis = nextAxis(sweeps);
    const sweep = sweeps[axis];
    if (sweep === undefined) return sweeps;
    const time = nextTime(sweep);
    if (isLayerOpen(sweeps, axis, time, touch, stops)) sweep.front += sweep.sign;
    else sweep.stop = { time, face: nextFace(sweep) };
  }
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

/** Whether nothing stops the box in the layer that it enters, within its extent on the other axes at that time. */
function isLayerOpen(
  sweeps: readonly Sweep[],
  entered: number,
  time: number,
  touch: number,
  stops: (voxel: readonly number[]) => boolean,
): boolean {
  const ranges = sweeps.map((sweep, axis): readonly [number, number] => {
    const layer = sweep.front + sweep.sign;
    return axis === entered ? [layer, layer] : rangeAt(sweep, Math.min(time, sweep.stop?.time ?? 1), touch);
  });
  const voxel = ranges.map(([first]) => first + 0);
  for (;;) {
    if (stops(voxel)) return false;
    let axis = 0;
    for (; axis < voxel.length; axis++) {
      const [first, last] = ranges[axis] as readonly [number, number];
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
function rangeAt(
  { sign, motion, low, high, front }: Sweep,
  time: number,
  touch: number,
): readonly [number, number] {
  const moved = motion * time;
  const first = sign < 0 ? front : Math.floor(low + moved + touch);
  const last = sign > 0 ? front : Math.ceil(high + moved - touch) - 1;
  return [first, last];
}

function requireEdges(value: unknown, dimensions: number): readonly number[] {
  const size = requirePoint("box.size", value, dimensions);
  if (size.every((edge) => edge >= BOX_EDGE_MIN && edge <= BOX_EDGE_MAX)) return size;
  throw wrongArgument("box.size", value, `each edge is from ${BOX_EDGE_MIN} to ${BOX_EDGE_MAX} voxels`);
}

function requireMotion(value: unknown, dimensions: number): readonly number[] {
  const motion = requirePoint("motion", value, dimensions);
  if (motion.every((part) => Math.abs(part) <= BOX_MOTION_MAX)) return motion;
  const advice = `each number is from ${-BOX_MOTION_MAX} to ${BOX_MOTION_MAX}: move a faster box in several steps`;
  throw wrongArgument("motion", value, advice);
}
