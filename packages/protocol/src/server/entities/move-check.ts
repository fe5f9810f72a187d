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
interface TimedPosition {
  readonly position: Vector;
  readonly timeMs: number;
}

/** The axis that points up. */
const UP = 1;
/** Time that may pass between two moves: after a longer silence, no more motion than this is made up for. */
const SILENCE_MS_MAX = 1_000;
/** Time that a client has in hand at first, because its first move may be later than the next ones. */
const FIRST_MS = 250;
/** Time in which a client must have used up what it has in hand; what it did not need by then, it loses. */
const SPARE_WINDOW_MS = 3_000;
/** Time that a client keeps in hand, because packets are late unequally. */
const SPARE_MS = 10;
/** Motion that may be saved up: clients move in frames or steps, which are early or late by as much as a long frame. */
const UNUSED_MOTION_MS = 35;
/** How much faster than the limit a player may be: clocks differ, and the way between rounded positions is longer. */
const SPEED_SHARE = 1.02;
const SPEED_MARGIN = 0.1;
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
  #spareMs = FIRST_MS;
  /** The least of it since `sinceMs`. */
  #window: { readonly sinceMs: number; readonly leastMs: number };
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
    this.#window = { sinceMs: nowMs, leastMs: SILENCE_MS_MAX };
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
    const passedMs = Math.max(0, nowMs - this.#receivedMs);
    this.#receivedMs = nowMs;
    const claimedMs = this.#timeMs === undefined ? passedMs : timeMs - this.#timeMs;
    this.#timeMs = Math.max(timeMs, this.#timeMs ?? 0);
    const elapsedMs = Math.max(0, Math.min(claimedMs, this.#spareMs + passedMs));
    this.#spareMs = Math.min(SILENCE_MS_MAX, this.#spareMs + passedMs - elapsedMs);
    this.#dropUnused(nowMs);
    return Math.min(SILENCE_MS_MAX, elapsedMs);
  }

  /** Takes away the time that no late packet has needed for a while, so that a fast clock shows at once. */
  #dropUnused(nowMs: number): void {
    const { sinceMs } = this.#window;
    const leastMs = Math.min(this.#window.leastMs, this.#spareMs);
    this.#window = { sinceMs, leastMs };
    if (nowMs - sinceMs < SPARE_WINDOW_MS) return;
    this.#spareMs -= Math.max(0, leastMs - SPARE_MS);
    this.#window = { sinceMs: nowMs, leastMs: this.#spareMs };
  }
}

/** Returns the motion that a player may make after some time. What was not made before is kept only for a moment. */
function motionLeft(left: number, speedMax: number, elapsedMs: number): number {
  const speed = speedMax * SPEED_SHARE + SPEED_MARGIN;
  // After a refused move it is far below zero; the player stands where they were before it.
  const kept = left < -ROUNDING ? 0 : Math.min(left, (speed * UNUSED_MOTION_MS) / 1_000);
  return kept + (speed * elapsedMs) / 1_000;
}
