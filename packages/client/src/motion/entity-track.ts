import type { Vector } from "@orthant/core";
import { positionFrom } from "@orthant/core/lattice";
import type { Pose } from "@orthant/protocol";
import { isJump, type PoseSample, poseBetween, poseOf, velocityBetween } from "./pose-sample.ts";

/** A pose that has arrived, with the velocity in voxels per second if the game states one. */
interface ArrivedPose extends Pose {
  readonly velocity?: Vector;
}

/** Poses kept of an entity: more than fit into the longest delay. */
const SAMPLES_MAX = 16;
/** How long an entity moves on without news. */
const EXTRAPOLATION_MS = 250;
/** When an entity without news is taken back to its last pose, and how long that takes. */
const RETURN_AFTER_MS = 500;
const RETURN_MS = 250;
/** How fast the difference between what was guessed and what happened is made up for: in three frames most of it. */
const ERROR_HALF_LIFE_MS = 20;
/** A guess that was wrong by more voxels is corrected at once. */
const ERROR_MAX = 2;
/** Poses of the last moments from which the velocity is reckoned, if they differ by no more than a share of it. */
const REFERENCE_MS_MAX = 400;
const SPEED_CHANGE = 0.3;
/** Longest time between two poses that is one motion. */
const INTERVAL_MS_MAX = 1_000;
/** Equal times between poses after which the entity is one that the server sends less often. */
const EVEN_GAPS = 3;

/** The way of one entity, from which its pose at any time near the newest one follows. */
export class EntityTrack {
  readonly #samples: PoseSample[] = [];
  readonly #falling = new Falling();
  #velocity: Vector | undefined;
  /** The usual time between two poses while the entity moves. */
  #intervalMs: number;
  /** The time between the last two poses, and how many times in succession it was the same. */
  #gapMs = 0;
  #evenGaps = 0;
  /** What is left at `sinceMs` of a wrong guess. */
  #error: { readonly from: Vector; readonly sinceMs: number } | undefined;

  constructor(pose: ArrivedPose, timeMs: number, tickMs: number) {
    this.#intervalMs = tickMs;
    this.#velocity = pose.velocity;
    this.#samples.push({ ...poseOf(pose), timeMs });
  }

  /** Adds the pose at a time of the server, which is also the newest known time. `displayMs` is the time that is shown. */
  add(pose: ArrivedPose, timeMs: number, tickMs: number, displayMs: number): void {
    const last = this.#samples.at(-1) as PoseSample;
    if (timeMs <= last.timeMs) {
      this.#velocity = pose.velocity;
      this.#samples[this.#samples.length - 1] = { ...poseOf(pose), timeMs: last.timeMs };
      return;
    }
    // What was shown before this pose, which did not yet know it.
    const guess = this.at(displayMs, timeMs - tickMs).position;
    this.#velocity = pose.velocity;
    if (!this.#isMotion(timeMs - last.timeMs, tickMs)) {
      // It stood until just before.
      this.#samples.push({ ...last, timeMs: timeMs - tickMs });
    }
    this.#samples.push({ ...poseOf(pose), timeMs });
    this.#samples.splice(0, this.#samples.length - SAMPLES_MAX);
    this.#falling.learn(this.#samples);
    const { position } = this.#pathAt(displayMs, timeMs);
    const error = positionFrom((axis) => guess[axis] - position[axis]);
    this.#error = Math.hypot(...error) > ERROR_MAX ? undefined : { from: error, sinceMs: displayMs };
  }

  /** Returns the pose at a time of the server. `newestMs` is the newest time that the server has sent. */
  at(timeMs: number, newestMs: number): Pose {
    const pose = this.#pathAt(timeMs, newestMs);
    if (this.#error === undefined) return pose;
    const { from, sinceMs } = this.#error;
    const share = 0.5 ** (Math.max(0, timeMs - sinceMs) / ERROR_HALF_LIFE_MS);
    if (share < 2 ** -10) return pose;
    return { ...pose, position: positionFrom((axis) => pose.position[axis] + from[axis] * share) };
  }

  /**
   * Returns true when the entity moved evenly since its last pose. Far entities come in every few ticks; a near one that
   * misses a tick has not moved in it, and a player whose packet was lost misses one or two.
   */
  #isMotion(gapMs: number, tickMs: number): boolean {
    this.#evenGaps = Math.abs(gapMs - this.#gapMs) < tickMs / 2 ? this.#evenGaps + 1 : 1;
    this.#gapMs = gapMs;
    const isMotion = gapMs <= 1.5 * this.#intervalMs || this.#evenGaps >= EVEN_GAPS;
    this.#intervalMs = isMotion && gapMs <= INTERVAL_MS_MAX ? Math.max(tickMs, gapMs) : tickMs;
    return isMotion && gapMs <= INTERVAL_MS_MAX;
  }

  #pathAt(timeMs: number, newestMs: number): Pose {
    const last = this.#samples.at(-1) as PoseSample;
    if (timeMs >= last.timeMs) return this.#beyond(last, timeMs, newestMs);
    for (let index = this.#samples.length - 2; index >= 0; index--) {
      const sample = this.#samples[index] as PoseSample;
      if (sample.timeMs <= timeMs) return poseBetween(sample, this.#samples[index + 1] as PoseSample, timeMs);
    }
    return poseOf(this.#samples[0] as PoseSample);
  }

  /** Guesses the pose after the newest one. */
  #beyond(last: PoseSample, timeMs: number, newestMs: number): Pose {
    // The server would have sent another pose by now.
    const isAtRest = newestMs - last.timeMs >= this.#intervalMs * 0.75;
    const velocity = isAtRest ? undefined : this.#velocityAt(last);
    if (velocity === undefined) return poseOf(last);
    const lateMs = timeMs - last.timeMs;
    const left = 1 - Math.min(1, Math.max(0, lateMs - RETURN_AFTER_MS) / RETURN_MS);
    const ms = Math.min(lateMs, EXTRAPOLATION_MS);
    const up = this.#velocity && velocity[1];
    const height = this.#falling.heightAfter(this.#samples, ms, up) ?? last.position[1] + velocity[1] * ms;
    const rise = height - last.position[1];
    return {
      position: positionFrom(
        (axis) => last.position[axis] + (axis === 1 ? rise : velocity[axis] * ms) * left,
      ),
      orientation: last.orientation,
    };
  }

  /** Returns the velocity after the newest pose, in voxels per millisecond: what the game states, or what it was. */
  #velocityAt(last: PoseSample): Vector | undefined {
    const stated = this.#velocity;
    if (stated !== undefined) return positionFrom((axis) => stated[axis] / 1_000);
    const before = this.#samples.at(-2);
    if (before === undefined || isJump(before, last)) return undefined;
    return velocityBetween(this.#reference(last, before), last);
  }

  /**
   * Returns the pose from which the velocity is reckoned: the earliest since which the motion was about the same, because
   * a server gets the poses of a player a little too early or late.
   */
  #reference(last: PoseSample, before: PoseSample): PoseSample {
    const now = velocityBetween(before, last);
    const speed = Math.hypot(...now);
    let reference = before;
    for (let index = this.#samples.length - 3; index >= 0; index--) {
      const earlier = this.#samples[index] as PoseSample;
      const then = velocityBetween(earlier, reference);
      const change = Math.hypot(...positionFrom((axis) => now[axis] - then[axis]));
      const isSteady = change <= SPEED_CHANGE * Math.max(speed, Math.hypot(...then));
      if (!isSteady || last.timeMs - earlier.timeMs > REFERENCE_MS_MAX) break;
      reference = earlier;
    }
    return reference;
  }
}

/** The axis that points up. */
const UP = 1;
/** How much two measured accelerations may differ, as a share of the larger one, to be the same fall. */
const ACCELERATION_CHANGE = 0.3;

/**
 * Learns how fast an entity falls from its poses, and guesses how high it is after the newest one. What jumps or falls
 * changes its speed all the time, so that a guess from the speed alone is wrong by a quarter of a voxel within two ticks.
 */
class Falling {
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
