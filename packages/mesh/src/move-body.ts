import type { Dimensions, Position, Vector } from "@orthant/core";
import { callback, fieldsOf, requireObject, upTo } from "@orthant/core/arguments";
import { UP } from "./box-sweep.ts";
import { type BoxMove, type MoveOptions, type MovingBox, moveBox, moveOptionChecks } from "./move-box.ts";
import {
  type PointLike,
  requirePlace,
  requirePoint,
  requireSource,
  type VoxelReader,
} from "./voxel-reader.ts";

/** A body that walks, falls and swims: an animal, or a player. */
export interface MovingBody<D extends Dimensions> extends MovingBox<D> {
  /** In voxels a second. */
  readonly velocity: PointLike<D>;
}

/** A body after it moved. */
export interface BodyMove<D extends Dimensions> extends BoxMove<D> {
  /** In voxels a second. */
  readonly velocity: Vector<D>;
}

/** What a body does, and what stops it. Its `stepHeight`, which it climbs without a jump, is 1 by default. */
export interface BodyOptions<D extends Dimensions> extends MoveOptions {
  /** Where it goes, in voxels a second. Along y only where it swims. */
  readonly walk: PointLike<D>;
  /** How long it does so: from one step of a simulation to the next, or from one picture. At most 1. */
  readonly seconds: number;
  /** The speed at which it jumps off the ground, in voxels a second. Default: 0, it does not. */
  readonly jumpSpeed?: number;
  /** How much faster it falls with every second, in voxels a second. Default: 28. */
  readonly gravity?: number;
  /** Whether it swims in a block. Default: in none. */
  readonly isLiquid?: (block: number) => boolean;
}

/** Nothing walks, jumps or falls faster, in voxels a second. */
const SPEED_MAX = 128;

const requireSeconds = upTo(1);
const bodyOptions = fieldsOf<BodyOptions<Dimensions>>({
  ...moveOptionChecks,
  walk: (_name, value) => value as PointLike<Dimensions>,
  seconds: requireSeconds,
  jumpSpeed: upTo(SPEED_MAX),
  gravity: upTo(SPEED_MAX),
  isLiquid: callback,
});

/** How quickly a body in water comes to the speed at which it swims: the share of the difference in a second. */
const DRAG = 4;

/**
 * Moves a body for a moment: it falls, walks where it wants, climbs steps, slides along walls, and swims. For systems of a
 * simulation, whose `step.world` fits, and for players.
 *
 * @example
 * const { position, velocity } = moveBody(world, { ...sheep, size: [0.9, 1.3, 0.9] }, { walk: [1, 0, 0], seconds: 0.05 });
 * entities.change(sheep.id, { position, velocity });
 */
export function moveBody<D extends Dimensions>(
  world: VoxelReader<D>,
  body: MovingBody<D>,
  options: BodyOptions<D>,
): BodyMove<D> {
  requireSource(world, "voxelAt", 4);
  requireObject("body", body, "it is { position, size, velocity }");
  const { dimensions } = world;
  const from = requirePlace("body.position", body.position, dimensions);
  const size = requirePoint("body.size", body.size, dimensions);
  const speed = requirePoint("body.velocity", body.velocity, dimensions);
  const {
    walk: _,
    seconds,
    jumpSpeed = 0,
    stepHeight = 1,
    gravity = 28,
    isLiquid,
    ...own
  } = checked(options);
  const walk = requirePoint("options.walk", options.walk, dimensions);
  const middle = from.map((coordinate, axis) =>
    Math.floor(axis === UP ? coordinate + (size[UP] as number) / 2 : coordinate),
  );
  const inside = world.voxelAt(middle as readonly number[] as Position<D>);
  const swims = inside !== undefined && isLiquid?.(inside) === true;
  const [rise = 0, swim = 0] = [speed[UP], walk[UP]];
  const falling = swims ? rise + (swim - rise) * Math.min(1, DRAG * seconds) : rise - gravity * seconds;
  const wanted = walk.map((part, axis) => limited(axis === UP ? falling : part) * seconds);
  const moved = moveBox(
    world,
    { position: from as unknown as Vector<D>, size: size as unknown as Vector<D> },
    wanted as unknown as Vector<D>,
    { ...own, stepHeight },
  );
  const isStopped = moved.hit[UP] !== 0;
  const jumps = moved.onGround && jumpSpeed > 0;
  const velocity = walk.map((part, axis) => {
    if (axis === UP) return jumps ? jumpSpeed : isStopped ? 0 : limited(falling);
    return moved.hit[axis] === 0 ? limited(part) : 0;
  });
  return { ...moved, velocity: velocity as readonly number[] as Vector<D> };
}

function checked<D extends Dimensions>(options: BodyOptions<D>): BodyOptions<D> {
  requireObject("options", options, "it is { walk, seconds }, and more");
  const own = bodyOptions("options", options) as BodyOptions<D>;
  requireSeconds("options.seconds", own.seconds);
  return own;
}

function limited(speed: number): number {
  return Math.max(-SPEED_MAX, Math.min(SPEED_MAX, speed));
}
