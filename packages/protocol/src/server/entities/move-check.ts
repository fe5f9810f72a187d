import type { Vector } from "@orthant/core";

/** What a server checks of players' moves. Speeds are in voxels per second. */
export interface MovementLimits {
  /** Along all axes but y. */
  readonly speedMax: number;
  readonly riseSpeedMax: number;
  readonly fallSpeedMax: number;
  /** Returns true when no wall is between two positions, which are at most one move apart. */
  readonly canPass?: (from: Vector, to: Vector) => boolean;
}

/** A position, and the client's time at which the player was there. */
export interface TimedPosition {
  readonly position: Vector;
  readonly timeMs: number;
}

/** The axis that points up. */
const UP = 1;
/** Time that may pass between two moves: after a longer silence, no more motion than this is made up for. */
const SILENCE_MS_MAX = 1_000;
/** How far a client's clock may be ahead of what the server has seen pass, because packets are late unequally. */
const AHEAD_MS_MAX = 100;
/** How fast a client loses time that it has not used: it must neither save it up nor lose it to a second lost packet. */
const UNUSED_HALF_LIFE_MS = 1_000;
/** Motion that may be saved up: the length of one slow frame of a game. */
const UNUSED_MOTION_MS = 50;
/** Positions are rounded. In voxels. */
const ROUNDING = 1 / 32;
/** Moves of one client that are checked in a tick, more than a client makes in a second. */
const CHECKS_PER_TICK = 32;

/**
 * Checks the moves of one session. The client says when each was made, and that time counts as far as it has passed on
 * the server, too. So late packets cost nothing, and a client can neither run its clock faster nor save up time.
 */
export class MoveCheck {
  readonly #limits: MovementLimits;
  /** How far the client's time may advance until the next move. */
  #spareMs = 0;
  #receivedMs: number;
  #timeMs: number | undefined;
  /** Motion that the player may make at once, in voxels: along the ground, up and down. */
  #ground = 0;
  #rise = 0;
  #fall = 0;
  #checksLeft = CHECKS_PER_TICK;

  constructor(limits: MovementLimits, nowMs: number) {
    this.#limits = limits;
    this.#receivedMs = nowMs;
  }

  startTick(): void {
    this.#checksLeft = CHECKS_PER_TICK;
  }

  /** Returns why a player may not get from `from` to a position, `undefined` if nothing speaks against it. */
  refusal(from: Vector, to: TimedPosition, nowMs: number): string | undefined {
    if (--this.#checksLeft < 0) return "too many moves";
    const elapsedMs = this.#elapse(to.timeMs, nowMs);
    const { speedMax, riseSpeedMax, fallSpeedMax, canPass } = this.#limits;
    this.#ground = motionLeft(this.#ground, speedMax, elapsedMs);
    this.#rise = motionLeft(this.#rise, riseSpeedMax, elapsedMs);
    this.#fall = motionLeft(this.#fall, fallSpeedMax, elapsedMs);
    const motion = to.position.map((coordinate, axis) => coordinate - (from[axis] as number));
    const up = motion[UP] ?? 0;
    motion[UP] = 0;
    this.#ground -= Math.hypot(...motion);
    this.#rise -= Math.max(0, up);
    this.#fall -= Math.max(0, -up);
    if (Math.min(this.#ground, this.#rise, this.#fall) < -ROUNDING) return "too fast";
    return canPass === undefined || canPass(from, to.position) ? undefined : "a wall is in the way";
  }

  /** Returns the time that counts for a move: what the client says, as far as it has passed here. */
  #elapse(timeMs: number, nowMs: number): number {
    const passedMs = Math.min(SILENCE_MS_MAX, Math.max(0, nowMs - this.#receivedMs));
    const unusedMs = Math.max(0, this.#spareMs - AHEAD_MS_MAX);
    const keptMs = this.#spareMs - unusedMs + unusedMs * 0.5 ** (passedMs / UNUSED_HALF_LIFE_MS);
    this.#receivedMs = nowMs;
    const availableMs = Math.min(SILENCE_MS_MAX, keptMs + passedMs);
    // The first move has no time before it.
    const claimedMs = this.#timeMs === undefined ? AHEAD_MS_MAX : timeMs - this.#timeMs;
    this.#timeMs = Math.max(timeMs, this.#timeMs ?? 0);
    const elapsedMs = Math.max(0, Math.min(claimedMs, availableMs));
    this.#spareMs = availableMs - elapsedMs;
    return elapsedMs;
  }
}

/** Returns the motion that a player may make after some time. What was not made before is kept only for a moment. */
function motionLeft(left: number, speedMax: number, elapsedMs: number): number {
  // After a refused move it is below zero; the player stands where they were before it.
  const kept = Math.min(Math.max(0, left), (speedMax * UNUSED_MOTION_MS) / 1_000);
  return kept + (speedMax * elapsedMs) / 1_000;
}
