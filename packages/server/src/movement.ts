import type { BlockCatalog, Box, ChunkShape, Dimensions, Position, Vector } from "@orthant/core";
import { type Axes, boxAt, chunkOfVoxel, positionsEqual } from "@orthant/core/lattice";
import { BOX_EDGE_MIN, moveBox, type VoxelReader } from "@orthant/mesh";
import type { MovementLimits, Player, SyncRules, SyncWorld } from "@orthant/protocol/server";

/**
 * How players may move. A move that breaks a limit has no effect, and the client learns where its player is.
 *
 * @example
 * const server = await createServer({ world, movement: { speedMax: 6, size: [0.6, 1.8, 0.6], reach: 6 } });
 */
export interface MovementOptions<D extends Dimensions = Dimensions> {
  /** The highest speed along the ground, in voxels per second, that your game permits. */
  readonly speedMax: number;
  /** The highest speed upwards, along y; 12 by default. */
  readonly riseSpeedMax?: number;
  /** The highest speed downwards, along y; 100 by default. */
  readonly fallSpeedMax?: number;
  /** The edges of a player's box, whose lower side has its middle at the player's position. Walls stop it. */
  readonly size?: Vector<D>;
  /** Whether a block stops a player with a size; by default those that the catalog calls solid. */
  readonly isSolid?: (block: number) => boolean;
  /** How far from their box a player may edit, in voxels; without a limit by default. */
  readonly reach?: number;
}

const RISE_SPEED_MAX = 12;
const FALL_SPEED_MAX = 100;
/** Poses are rounded, so a player beside a wall may be a little inside of it: boxes are checked without this rim. */
const RIM = 1 / 32;
/** Added to the reach, because a player has moved on since the server learned where they are. */
const REACH_MARGIN = 1;

/** Returns the limits that a sync server checks. */
export function movementLimits<D extends Dimensions>(
  { speedMax, riseSpeedMax = RISE_SPEED_MAX, fallSpeedMax = FALL_SPEED_MAX, ...options }: MovementOptions<D>,
  axes: Axes<D>,
  world: SyncWorld,
): MovementLimits {
  const limits = { speedMax, riseSpeedMax, fallSpeedMax };
  if (options.size === undefined) return limits;
  const walls = new Walls(axes, world, axes.vector("movement.size", options.size), options.isSolid);
  return { ...limits, canPass: (from, to) => walls.canPass(from, to) };
}

/** Returns the rule about reach. */
export function reachRule<D extends Dimensions>(
  { reach, size }: MovementOptions<D>,
  axes: Axes<D>,
): Pick<SyncRules, "isWithinReach"> {
  if (reach === undefined) return {};
  const edges: Vector = size === undefined ? [0, 0, 0, 0] : axes.vector("movement.size", size);
  return {
    isWithinReach: ({ player, box }) =>
      distanceToFarthest(player, edges, box, axes.dimensions) <= reach + REACH_MARGIN,
  };
}

/** Finds walls in a world, as far as it is loaded; the rest counts as a wall. */
class Walls<D extends Dimensions> implements VoxelReader<D> {
  readonly dimensions: D;
  readonly #axes: Axes<D>;
  readonly #world: SyncWorld;
  readonly #shape: ChunkShape;
  readonly #size: Vector;
  readonly #options: { readonly isSolid?: (block: number) => boolean };
  /** The chunk of the last voxel, if it is loaded. */
  #chunk: Position | undefined;

  constructor(
    axes: Axes<D>,
    world: SyncWorld,
    size: Vector,
    isSolid: ((block: number) => boolean) | undefined,
  ) {
    this.dimensions = axes.dimensions;
    this.#axes = axes;
    this.#world = world;
    this.#shape = world.shape;
    this.#size = size.map((edge) => Math.max(edge - 2 * RIM, BOX_EDGE_MIN)) as unknown as Vector;
    this.#options = isSolid === undefined ? {} : { isSolid };
  }

  get blocks(): BlockCatalog {
    return this.#world.catalog;
  }

  voxelAt([x, y, z = 0, w = 0]: Position<D> & readonly number[]): number | undefined {
    const chunk = chunkOfVoxel(this.#shape, [x as number, y as number, z, w]);
    if (this.#chunk === undefined || !positionsEqual(chunk, this.#chunk)) {
      if (!this.#world.isLoaded(boxAt(chunk))) return undefined;
      this.#chunk = chunk;
    }
    return this.#world.state.voxelAt(x as number, y as number, z, w);
  }

  /**
   * Whether a player gets from one position to another: straight, or along one axis after the other, in any order, as
   * happens between two messages around a corner, or with a jump onto a block.
   */
  canPass(from: Vector, to: Vector): boolean {
    this.#chunk = undefined;
    const start = this.#axes
      .publicPosition(from)
      .map((coordinate, axis) => coordinate + (axis === 1 ? RIM : 0));
    const motion = this.#axes
      .publicPosition(to)
      .map((coordinate, axis) => coordinate - (from[axis] as number));
    if (this.#isFree(start, motion)) return true;
    const moving = motion.flatMap((part, axis) => (part === 0 ? [] : [axis]));
    return moving.length > 1 && orders(moving).some((order) => this.#isFreeAlong(start, motion, order));
  }

  #isFreeAlong(start: readonly number[], motion: readonly number[], order: readonly number[]): boolean {
    const place = [...start];
    for (const axis of order) {
      const step = motion.map((part, other) => (other === axis ? part : 0));
      if (!this.#isFree(place, step)) return false;
      place[axis] = (place[axis] as number) + (motion[axis] as number);
    }
    return true;
  }

  #isFree(from: readonly number[], motion: readonly number[]): boolean {
    const tuple = (numbers: readonly number[]): Vector<D> => numbers as unknown as Vector<D>;
    const box = { position: tuple(from), size: tuple(this.#size.slice(0, this.dimensions)) };
    return moveBox<D>(this, box, tuple(motion), this.#options).hit.every((hit) => hit === 0);
  }
}

/** Returns the orders in which axes can follow each other. */
function orders(axes: readonly number[]): readonly (readonly number[])[] {
  if (axes.length <= 1) return [axes];
  return axes.flatMap((first) =>
    orders(axes.filter((axis) => axis !== first)).map((rest) => [first, ...rest]),
  );
}

/** Returns the distance from a player's box to the farthest voxel of a box, which is one at its corners. */
function distanceToFarthest(
  { position }: Player,
  size: Vector,
  { min, max }: Box,
  dimensions: number,
): number {
  const gaps = position.slice(0, dimensions).map((coordinate, axis) => {
    const edge = size[axis] as number;
    const low = coordinate - (axis === 1 ? 0 : edge / 2);
    const lowest = min[axis] as number;
    const highest = (max[axis] as number) - 1;
    return Math.max(0, highest - (low + edge), low - (lowest + 1));
  });
  return Math.hypot(...gaps);
}
