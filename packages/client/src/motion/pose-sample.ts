import type { Vector } from "@orthant/core";
import { positionFrom } from "@orthant/core/lattice";
import type { Pose } from "@orthant/protocol";

/** A pose at a time of the server. */
export interface PoseSample extends Pose {
  readonly timeMs: number;
}

/** Voxels per second beyond which a change is a jump to another place, not a motion. */
const JUMP_SPEED = 128;

/** Returns the pose at a time between two samples. */
export function poseBetween(from: PoseSample, to: PoseSample, timeMs: number): Pose {
  if (isJump(from, to)) return poseOf(from);
  const share = (timeMs - from.timeMs) / (to.timeMs - from.timeMs);
  return {
    position: positionFrom((axis) => mix(from.position[axis], to.position[axis], share)),
    orientation: mixedOrientation(from.orientation, to.orientation, share),
  };
}

/** Returns true when two samples are too far apart to be one motion. */
export function isJump(from: PoseSample, to: PoseSample): boolean {
  return Math.hypot(...velocityBetween(from, to)) * 1_000 > JUMP_SPEED;
}

/** Returns the average velocity from one sample to the next, in voxels per millisecond. */
export function velocityBetween(from: PoseSample, to: PoseSample): Vector {
  return positionFrom((axis) => (to.position[axis] - from.position[axis]) / (to.timeMs - from.timeMs));
}

/** Returns a pose without what else its object has. */
export function poseOf({ position, orientation }: Pose): Pose {
  return { position, orientation };
}

/** Quaternions turn the short way, and keep their length; other orientations change part by part. */
function mixedOrientation(from: Vector, to: Vector, share: number): Vector {
  const isRotation = isUnit(from) && isUnit(to);
  const sign = isRotation && positionFrom((axis) => from[axis] * to[axis]).reduce(sum) < 0 ? -1 : 1;
  const mixed = positionFrom((axis) => mix(from[axis], to[axis] * sign, share));
  const length = Math.hypot(...mixed);
  return isRotation && length > 0 ? positionFrom((axis) => mixed[axis] / length) : mixed;
}

function isUnit(orientation: Vector): boolean {
  return Math.abs(Math.hypot(...orientation) - 1) < 0.02;
}

function mix(from: number, to: number, share: number): number {
  return from + (to - from) * share;
}

function sum(total: number, part: number): number {
  return total + part;
}
