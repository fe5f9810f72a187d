import type { Dimensions, Position, Vector } from "@orthant/core";
import {
  callback,
  choiceOf,
  fieldsOf,
  type OptionTable,
  requireObject,
  upTo,
  wrongArgument,
} from "@orthant/core/arguments";
import { type Stops, type Sweep, sweepAll, UP } from "./box-sweep.ts";
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

/** A step must bring a box forward by this much, in voxels. */
const STEP_LEAST = 1 / 1_024;
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
  /** Whether a block stops the box, with its shape; by default those that the catalog calls solid. */
  readonly isSolid?: (block: number) => boolean;
  /** How voxels count that are not in memory; by default as solid, so that no player falls while a world loads. */
  readonly unloaded?: "solid" | "air";
  /** The highest step that the box climbs while something stops it from below, in voxels. Default: 0. */
  readonly stepHeight?: number;
}

/** The highest step, in voxels. */
const STEP_HEIGHT_MAX = 16;

/** The checks of {@link MoveOptions}. */
export const moveOptionChecks: OptionTable<MoveOptions> = {
  isSolid: callback,
  unloaded: choiceOf("solid", "air"),
  stepHeight: upTo(STEP_HEIGHT_MAX),
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
  const mover = new Mover(world, size, own);
  return own.stepHeight === undefined ? mover.move(from, wanted) : mover.climb(from, wanted, own.stepHeight);
}

/** Moves boxes of one size in a world. */
class Mover<D extends Dimensions> {
  readonly #size: readonly number[];
  readonly #hasShapes: boolean;
  readonly #stops: Stops;

  constructor(world: VoxelReader<D>, size: readonly number[], { isSolid, unloaded }: MoveOptions) {
    const { blocks } = world;
    const stopsBox = isSolid ?? ((block: number) => blocks.isSolid(block));
    const isUnloadedSolid = unloaded !== "air";
    this.#size = size;
    this.#hasShapes = blocks.hasShapes;
    this.#stops = (voxel, obstacles) => {
      const block = world.voxelAt([...voxel] as unknown as Position<D>);
      if (block === undefined) return isUnloadedSolid;
      if (!stopsBox(block)) return false;
      const boxes = obstacles && blocks.boxesOf(block);
      if (boxes === undefined) return true;
      obstacles?.add(voxel, boxes);
      return false;
    };
  }

  move(from: readonly number[], wanted: readonly number[]): BoxMove<D> {
    const size = this.#size;
    const sweeps = sweepAll(from, size, wanted, this.#stops, this.#hasShapes);
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

  /** Moves a box, over a step if that leads farther. */
  climb(from: readonly number[], wanted: readonly number[], stepHeight: number): BoxMove<D> {
    const straight = this.move(from, wanted);
    const isBlocked = straight.hit.some((hit, axis) => axis !== UP && hit !== 0);
    if (stepHeight === 0 || !straight.onGround || !isBlocked) return straight;
    const along = (height: number): readonly number[] => wanted.map((_, axis) => (axis === UP ? height : 0));
    const raised = this.move(from, along(stepHeight));
    const forwards = this.move(
      raised.position,
      wanted.map((part, axis) => (axis === UP ? 0 : part)),
    );
    const lowered = this.move(forwards.position, along(-(raised.motion[UP] as number)));
    if (distance(forwards.motion) < distance(straight.motion) + STEP_LEAST || !lowered.onGround)
      return straight;
    const motion = lowered.position.map((coordinate, axis) => coordinate - (from[axis] as number));
    return { ...lowered, motion: motion as readonly number[] as Vector<D>, hit: withGround(forwards.hit) };
  }
}

/** Returns how far a motion leads, without up and down. */
function distance(motion: readonly number[]): number {
  return Math.hypot(...motion.map((part, axis) => (axis === UP ? 0 : part)));
}

function withGround<D extends Dimensions>(hit: Vector<D>): Vector<D> {
  return hit.map((direction, axis) => (axis === UP ? -1 : direction)) as readonly number[] as Vector<D>;
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
