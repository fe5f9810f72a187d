import { type PoseSample, velocityBetween } from "./pose-sample.ts";

/** The axis that points up. */
const UP = 1;
/** How much two measured accelerations may differ, as a share of the larger one, to be the same fall. */
const ACCELERATION_CHANGE = 0.3;

/**
 * Learns how fast an entity falls from its poses, and guesses how high it is after the newest one. What jumps or falls
 * changes its speed all the time, so that a guess from the speed alone is wrong by a quarter of a voxel within two ticks.
 */
export class Falling {
  /** In voxels per square millisecond, below 0; `undefined` until the entity has fallen for three intervals. */
  #gravity: number | undefined;

  /** Looks at the newest samples, after each new one. */
  learn(samples: readonly PoseSample[]): void {
    const now = accelerationAt(samples, samples.length - 1);
    const before = accelerationAt(samples, samples.length - 2);
    if (now === undefined || before === undefined || !isSameFall(now, before)) return;
    const measured = (now + before) / 2;
    this.#gravity = this.#gravity === undefined ? measured : (this.#gravity + measured) / 2;
  }

  /**
   * Returns the height some time after the newest sample; `undefined` if the entity does not fall. `speed` is its upward
   * speed there, if it is known. An entity that jumped lands where it stood before.
   */
  heightAfter(samples: readonly PoseSample[], ms: number, speed: number | undefined): number | undefined {
    const [before, last] = samples.slice(-2);
    const gravity = this.#gravity;
    if (before === undefined || last === undefined || gravity === undefined) return undefined;
    const [, average] = velocityBetween(before, last);
    const measured = accelerationAt(samples, samples.length - 1);
    // The first pose in the air has no acceleration yet: only what rises is a jump then.
    const isFalling = measured === undefined ? average > 0 : isSameFall(measured, gravity);
    if (!isFalling) return undefined;
    const speedNow = speed ?? average + (gravity * (last.timeMs - before.timeMs)) / 2;
    const height = last.position[UP];
    return Math.max(height + speedNow * ms + (gravity * ms * ms) / 2, groundBelow(samples, height));
  }
}

/** Returns the upward acceleration over the two intervals before a sample, `undefined` if the entity stood in one. */
function accelerationAt(samples: readonly PoseSample[], index: number): number | undefined {
  const [first, middle, last] = [samples[index - 2], samples[index - 1], samples[index]];
  if (first === undefined || middle === undefined || last === undefined) return undefined;
  const [, earlier] = velocityBetween(first, middle);
  const [, later] = velocityBetween(middle, last);
  if (earlier === 0 || later === 0) return undefined;
  return (2 * (later - earlier)) / (last.timeMs - first.timeMs);
}

function isSameFall(one: number, other: number): boolean {
  return Math.max(one, other) < 0 && Math.abs(one - other) <= ACCELERATION_CHANGE * Math.max(-one, -other);
}

/** Returns the height at which the entity last stood, if that is not above it. */
function groundBelow(samples: readonly PoseSample[], height: number): number {
  for (let index = samples.length - 1; index > 0; index--) {
    const stood = (samples[index] as PoseSample).position[UP];
    if (stood <= height && stood === samples[index - 1]?.position[UP]) return stood;
  }
  return Number.NEGATIVE_INFINITY;
}
