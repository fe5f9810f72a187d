import type { Vector } from "@orthant/core";
import { positionFrom } from "@orthant/core/engine";
import type { Pose } from "@orthant/protocol";

/** A pose at a time of the server. */
interface Sample extends Pose {
  readonly timeMs: number;
}

/** Poses kept of an entity: more than fit into the longest delay. */
const SAMPLES_MAX = 16;
/** How long an entity moves on without news. */
const EXTRAPOLATION_MS = 250;
/** When an entity without news is taken back to its last pose, and how long that takes. */
const RETURN_AFTER_MS = 500;
const RETURN_MS = 250;
/** Voxels per second beyond which a change is a jump to another place, not a motion. */
const JUMP_SPEED = 128;
/** How fast the difference between what was guessed and what happened is made up for. */
const ERROR_HALF_LIFE_MS = 40;
/** A guess that was wrong by more voxels is corrected at once. */
const ERROR_MAX = 2;
/** Poses of the last moments from which the velocity is reckoned, if they differ by no more than a share of it. */
const REFERENCE_MS_MAX = 400;
const SPEED_CHANGE = 0.6;
/** Longest time between two poses that is one motion. */
const INTERVAL_MS_MAX = 1_000;

/** The way of one entity, from which its pose at any time near the newest one follows. */
export class EntityTrack {
  readonly #samples: Sample[] = [];
  /** The usual time between two poses while the entity moves. */
  #intervalMs: number;
  /** The time between the last two poses. */
  #gapMs = 0;
  /** What is left at `sinceMs` of a wrong guess. */
  #error: { readonly from: Vector; readonly sinceMs: number } | undefined;

  constructor(pose: Pose, timeMs: number, tickMs: number) {
    this.#intervalMs = tickMs;
    this.#samples.push({ ...poseOf(pose), timeMs });
  }

  /** Adds the pose at a time of the server, which is also the newest known time. `shownMs` is the time that is shown. */
  add(pose: Pose, timeMs: number, tickMs: number, shownMs: number): void {
    const last = this.#samples.at(-1) as Sample;
    if (timeMs <= last.timeMs) {
      this.#samples[this.#samples.length - 1] = { ...poseOf(pose), timeMs: last.timeMs };
      return;
    }
    // What was shown before this pose, which did not yet know it.
    const guess = this.at(shownMs, timeMs - tickMs).position;
    const gapMs = timeMs - last.timeMs;
    // Far entities come in every few ticks; a near one that misses a tick has not moved in it.
    const isMotion = gapMs <= 1.5 * this.#intervalMs || Math.abs(gapMs - this.#gapMs) < tickMs / 2;
    this.#gapMs = gapMs;
    if (isMotion && gapMs <= INTERVAL_MS_MAX) this.#intervalMs = Math.max(tickMs, gapMs);
    else {
      // It stood until just before.
      this.#intervalMs = tickMs;
      this.#samples.push({ ...last, timeMs: timeMs - tickMs });
    }
    this.#samples.push({ ...poseOf(pose), timeMs });
    this.#samples.splice(0, this.#samples.length - SAMPLES_MAX);
    const { position } = this.#pathAt(shownMs, timeMs);
    const error = positionFrom((axis) => guess[axis] - position[axis]);
    this.#error = Math.hypot(...error) > ERROR_MAX ? undefined : { from: error, sinceMs: shownMs };
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

  #pathAt(timeMs: number, newestMs: number): Pose {
    const last = this.#samples.at(-1) as Sample;
    if (timeMs >= last.timeMs) return this.#beyond(last, timeMs, newestMs);
    for (let index = this.#samples.length - 2; index >= 0; index--) {
      const sample = this.#samples[index] as Sample;
      if (sample.timeMs <= timeMs) return between(sample, this.#samples[index + 1] as Sample, timeMs);
    }
    return poseOf(this.#samples[0] as Sample);
  }

  /** Guesses the pose after the newest one. */
  #beyond(last: Sample, timeMs: number, newestMs: number): Pose {
    // The server would have sent another pose by now.
    const isAtRest = newestMs - last.timeMs >= this.#intervalMs * 0.75;
    const before = this.#before(last);
    if (isAtRest || before === last || isJump(before, last)) return poseOf(last);
    const lateMs = timeMs - last.timeMs;
    const left = 1 - Math.min(1, Math.max(0, lateMs - RETURN_AFTER_MS) / RETURN_MS);
    const from = this.#reference(last, before);
    const share = (Math.min(lateMs, EXTRAPOLATION_MS) / (last.timeMs - from.timeMs)) * left;
    return {
      position: positionFrom(
        (axis) => last.position[axis] + (last.position[axis] - from.position[axis]) * share,
      ),
      orientation: last.orientation,
    };
  }

  /**
   * Returns the pose from which the velocity is reckoned: the earliest since which the motion was about the same, because
   * a server gets the poses of a player a little too early or late.
   */
  #reference(last: Sample, before: Sample): Sample {
    const now = velocity(before, last);
    const speed = Math.hypot(...now);
    let reference = before;
    for (let index = this.#samples.length - 3; index >= 0; index--) {
      const earlier = this.#samples[index] as Sample;
      const then = velocity(earlier, reference);
      const change = Math.hypot(...positionFrom((axis) => now[axis] - then[axis]));
      const isSteady = change <= SPEED_CHANGE * Math.max(speed, Math.hypot(...then));
      if (!isSteady || last.timeMs - earlier.timeMs > REFERENCE_MS_MAX) break;
      reference = earlier;
    }
    return reference;
  }

  #before(last: Sample): Sample {
    return this.#samples.at(-2) ?? last;
  }
}

function between(from: Sample, to: Sample, timeMs: number): Pose {
  if (isJump(from, to)) return poseOf(from);
  const share = (timeMs - from.timeMs) / (to.timeMs - from.timeMs);
  return {
    position: positionFrom((axis) => mix(from.position[axis], to.position[axis], share)),
    orientation: mixedOrientation(from.orientation, to.orientation, share),
  };
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

function isJump(from: Sample, to: Sample): boolean {
  const distance = Math.hypot(...positionFrom((axis) => to.position[axis] - from.position[axis]));
  return distance * 1_000 > JUMP_SPEED * (to.timeMs - from.timeMs);
}

function velocity(from: Sample, to: Sample): Vector {
  return positionFrom((axis) => (to.position[axis] - from.position[axis]) / (to.timeMs - from.timeMs));
}

function poseOf({ position, orientation }: Pose): Pose {
  return { position, orientation };
}

function mix(from: number, to: number, share: number): number {
  return from + (to - from) * share;
}

function sum(total: number, part: number): number {
  return total + part;
}
