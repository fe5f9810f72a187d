import { AIR, type Dimensions, type Position, type Vector } from "@orthant/core";
import { callback, fieldsOf, requireFlag, unchecked, wrongArgument } from "@orthant/core/arguments";
import { type BoxMove, moveBox, type VoxelReader } from "@orthant/mesh";

/** What a player wants to do at a moment, as `Controls.read` returns it. */
export interface WalkInput {
  /** From -1, backwards, to 1. A world in 2D has only left and right. */
  readonly ahead: number;
  /** From -1, to the left, to 1. */
  readonly right: number;
  /** Jumps, swims up, or flies up. */
  readonly jump: boolean;
  /** Dives, or flies down. */
  readonly down: boolean;
  readonly run: boolean;
  /** Flies, if the game allows it. */
  readonly fly: boolean;
  /** Walks up one voxel without a jump, as fingers on a screen need it. */
  readonly climb: boolean;
  /** Where the player looks, in radians: to the left of -z, and up. */
  readonly yaw: number;
  readonly pitch: number;
}

/** A player who walks, swims or flies. */
export interface WalkState<D extends Dimensions = 3> {
  /** The middle of the feet. */
  readonly position: Vector<D>;
  /** Where the player looks, as the quaternion of a camera: x, y, z, w. */
  readonly orientation: Vector;
  /** In voxels per second. */
  readonly velocity: Vector<D>;
  readonly onGround: boolean;
  /** Whether the player swims. */
  readonly inLiquid: boolean;
  readonly isFlying: boolean;
}

/** How players move. Speeds are in voxels per second. All fields are optional. */
export interface WalkOptions<D extends Dimensions = 3> {
  /** The edges of the player's box: 0.6, 1.8 and 0.6 by default. */
  readonly size?: Vector<D>;
  /** From the feet to the eyes: nine tenths of the size by default. */
  readonly eyeHeight?: number;
  readonly speed?: number;
  readonly runSpeed?: number;
  readonly flySpeed?: number;
  readonly jumpSpeed?: number;
  /** In voxels per second squared. */
  readonly gravity?: number;
  /** Whether the player may fly; `false` by default. */
  readonly canFly?: boolean;
  /** Whether players swim in a block; by default in those that are not solid and are called water or lava. */
  readonly isLiquid?: (block: number) => boolean;
}

/** A world in which a player walks: a client's, or any other with a spawn. */
export interface WalkedWorld<D extends Dimensions> extends VoxelReader<D> {
  readonly spawn: Vector<D>;
  readonly pose?: { readonly position: Vector<D>; readonly orientation: Vector };
}

/** How a player walks in a world: what `client.predictPlayer` takes. */
export interface Walking<D extends Dimensions> {
  /** Where the player begins: at the world's `pose`, or else its spawn. */
  readonly state: WalkState<D>;
  /** Returns the player after some seconds. */
  step(state: WalkState<D>, input: WalkInput, seconds: number): WalkState<D>;
  /** Returns the player at another place, standing. */
  correct(
    state: WalkState<D>,
    pose: { readonly position: Vector<D>; readonly orientation: Vector },
  ): WalkState<D>;
  /** Returns where the eyes of a player are whose feet are at a position. */
  eyes(position: Vector<D>): Vector<D>;
  /** Whether a voxel is in the way of a player at a position, so that no block can be put there. */
  overlaps(position: Vector<D>, voxel: Position<D>): boolean;
}

const LEVEL: Vector = [0, 0, 0, 1];
const DEFAULTS = { speed: 5, runSpeed: 8, flySpeed: 14, jumpSpeed: 8.6, gravity: 27 };
const WIDTH = 0.6;
const HEIGHT = 1.8;
const UP = 1;
/** How much of the body is under the surface of a liquid when the player swims. */
const SWIM_DEPTH = 0.45;
const SWIM_SHARE = 0.62;
const [SWIM_UP, SWIM_DOWN, SINK] = [4, -4, -1.4];
/** Above this speed, a jump leads out of the water onto a bank one voxel higher. */
const BANK_JUMP = 7;
/** How fast the speed approaches what the player wants, a second. */
const EASE = { ground: 16, air: 5, liquid: 5, flight: 8 };
/** Slabs and stairs lead up without a jump. */
const STEP_HEIGHT = 0.5;
/** A step of one voxel and what rounding needs. */
const CLIMB = 1.1;
const FALL_SPEED_MAX = 60;
const LIQUID_NAME = /(?:^|[ _:])(?:water|lava)(?: \d+)?$/;

function speed(name: string, value: unknown): number {
  if (typeof value === "number" && value >= 0 && value <= 1_000) return value;
  throw wrongArgument(name, value, "it is a number of voxels from 0 to 1,000");
}

/**
 * Returns how a player walks, jumps, swims and flies in a world and is stopped by its solid blocks. `step` depends on
 * nothing but the world and its arguments, as the prediction of a client needs it.
 *
 * @example
 * const walk = walking(world, { canFly: true });
 * const player = world.predictPlayer(walk);
 * player.move(page.read(seconds), seconds); // in each frame
 * camera.position.set(...walk.eyes(player.position));
 */
export function walking<D extends Dimensions>(
  world: WalkedWorld<D>,
  options: WalkOptions<D> = {},
): Walking<D> {
  const rules = rulesOf(world, options);
  const { position, orientation } = world.pose ?? { position: world.spawn, orientation: LEVEL };
  const state: WalkState<D> = {
    position,
    orientation,
    velocity: vector<D>(position, () => 0),
    onGround: false,
    inLiquid: false,
    isFlying: false,
  };
  return {
    state,
    step: (before, input, seconds) => stepped(world, rules, before, input, seconds),
    correct: (before, pose) => ({ ...before, ...pose, velocity: state.velocity, onGround: false }),
    eyes: (feet) => vector<D>(feet, (axis) => (feet[axis] as number) + (axis === UP ? rules.eyeHeight : 0)),
    overlaps: (feet, voxel) =>
      voxel.every((cell, axis) => {
        const edge = rules.size[axis] as number;
        const low = (feet[axis] as number) - (axis === UP ? 0 : edge / 2);
        return cell < low + edge && cell + 1 > low;
      }),
  };
}

/** Options with their defaults. */
interface Rules<D extends Dimensions> extends Required<WalkOptions<D>> {}

function rulesOf<D extends Dimensions>(world: WalkedWorld<D>, given: WalkOptions<D>): Rules<D> {
  const check = fieldsOf<WalkOptions<D>>({
    size: unchecked, // moveBox checks it
    eyeHeight: speed,
    speed,
    runSpeed: speed,
    flySpeed: speed,
    jumpSpeed: speed,
    gravity: speed,
    canFly: requireFlag,
    isLiquid: callback,
  });
  const own = check("options", given);
  const size = own.size ?? vector<D>(world.spawn, (axis) => (axis === UP ? HEIGHT : WIDTH));
  const isLiquid = (block: number): boolean => {
    if (block === AIR || world.blocks.isSolid(block)) return false;
    return LIQUID_NAME.test(world.blocks.byId(block)?.name ?? "");
  };
  const eyeHeight = (size[UP] as number) * 0.9;
  return { ...DEFAULTS, eyeHeight, canFly: false, isLiquid, ...own, size };
}

function stepped<D extends Dimensions>(
  world: VoxelReader<D>,
  rules: Rules<D>,
  before: WalkState<D>,
  input: WalkInput,
  seconds: number,
): WalkState<D> {
  const inLiquid = isIn(world, rules, before.position);
  const isFlying = input.fly && rules.canFly;
  const wanted = heading(before.position, input);
  const medium = isFlying ? "flight" : inLiquid ? "liquid" : before.onGround ? "ground" : "air";
  const pace = paceOf(rules, input, medium);
  const share = 1 - Math.exp(-EASE[medium] * seconds);
  const velocity = before.velocity.map((part, axis) =>
    axis === UP ? part : part + ((wanted[axis] as number) * pace - part) * share,
  );
  velocity[UP] = risingSpeed(rules, before, input, medium, seconds);

  const box = { position: before.position, size: rules.size };
  const motion = vector<D>(before.position, (axis) => (velocity[axis] as number) * seconds);
  const moved = moveBox(world, box, motion, medium === "ground" ? { stepHeight: STEP_HEIGHT } : {});
  const isStopped = moved.hit.some((side, axis) => axis !== UP && side !== 0);
  for (const [axis, side] of moved.hit.entries()) if (side !== 0) velocity[axis] = 0;
  if (isStopped && before.onGround && input.climb && isStep(world, moved, wanted))
    velocity[UP] = Math.sqrt(2 * rules.gravity * CLIMB);
  if (isStopped && medium === "liquid" && input.jump) velocity[UP] = BANK_JUMP;
  return {
    position: moved.position,
    orientation: orientationOf(input, before),
    velocity: velocity as unknown as Vector<D>,
    onGround: moved.onGround,
    inLiquid: isIn(world, rules, moved.position),
    isFlying,
  };
}

/** Whether the body is in a liquid, up to the chest. */
function isIn<D extends Dimensions>(world: VoxelReader<D>, rules: Rules<D>, feet: Vector<D>): boolean {
  const chest = (feet[UP] as number) + (rules.size[UP] as number) * SWIM_DEPTH;
  const voxel = feet.map((part, axis) => Math.floor(axis === UP ? chest : part));
  const block = world.voxelAt(voxel as unknown as Position<D>);
  return block !== undefined && rules.isLiquid(block);
}

/** The direction on the ground in which the player wants to move; its length is at most 1. */
function heading<D extends Dimensions>(like: Vector<D>, { ahead, right, yaw }: WalkInput): readonly number[] {
  if (like.length === 2) return [right, 0];
  const length = Math.max(1, Math.hypot(ahead, right));
  const [sin, cos] = [Math.sin(yaw) / length, Math.cos(yaw) / length];
  return [right * cos - ahead * sin, 0, -right * sin - ahead * cos, 0];
}

type Medium = keyof typeof EASE;

function paceOf<D extends Dimensions>(rules: Rules<D>, { run }: WalkInput, medium: Medium): number {
  if (medium === "flight") return rules.flySpeed * (run ? 2 : 1);
  const pace = run ? rules.runSpeed : rules.speed;
  return medium === "liquid" ? pace * SWIM_SHARE : pace;
}

function risingSpeed<D extends Dimensions>(
  rules: Rules<D>,
  { velocity, onGround }: WalkState<D>,
  { jump, down, run }: WalkInput,
  medium: Medium,
  seconds: number,
): number {
  const now = velocity[UP] as number;
  const towards = (goal: number): number => now + (goal - now) * (1 - Math.exp(-EASE[medium] * seconds));
  if (medium === "flight") return towards((Number(jump) - Number(down)) * rules.flySpeed * (run ? 1 : 0.6));
  if (medium === "liquid") return towards(jump ? SWIM_UP : down ? SWIM_DOWN : SINK);
  if (onGround && jump) return rules.jumpSpeed;
  return Math.max(-FALL_SPEED_MAX, now - rules.gravity * seconds);
}

/** Whether what stopped a box is one voxel high, with room above it. */
function isStep<D extends Dimensions>(
  world: VoxelReader<D>,
  stopped: BoxMove<D>,
  wanted: readonly number[],
): boolean {
  const up = moveBox(
    world,
    stopped,
    vector<D>(stopped.position, (axis) => (axis === UP ? CLIMB : 0)),
  );
  if (up.hit[UP] !== 0) return false;
  const over = moveBox(
    world,
    up,
    vector<D>(stopped.position, (axis) => (wanted[axis] as number) / 4),
  );
  return over.motion.some((part, axis) => axis !== UP && part !== 0 && stopped.hit[axis] !== 0);
}

/** Returns the quaternion of a camera that looks where the player does. */
function orientationOf<D extends Dimensions>(
  { yaw, pitch }: WalkInput,
  { position, orientation }: WalkState<D>,
): Vector {
  if (position.length === 2) return orientation;
  const [sinYaw, cosYaw] = [Math.sin(yaw / 2), Math.cos(yaw / 2)];
  const [sinPitch, cosPitch] = [Math.sin(pitch / 2), Math.cos(pitch / 2)];
  return [cosYaw * sinPitch, sinYaw * cosPitch, -sinYaw * sinPitch, cosYaw * cosPitch];
}

/** Returns where a quaternion looks, if it is one of a player who holds their head upright. */
export function anglesOf([x, y, z, w]: Vector): { readonly yaw: number; readonly pitch: number } {
  return { yaw: 2 * Math.atan2(y, w), pitch: Math.asin(Math.max(-1, Math.min(1, 2 * (w * x - y * z)))) };
}

function vector<D extends Dimensions>(like: Vector<D>, part: (axis: number) => number): Vector<D> {
  return like.map((_, axis) => part(axis)) as unknown as Vector<D>;
}
