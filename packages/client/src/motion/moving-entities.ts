import type { SeenEntity } from "@orthant/protocol";
import { CLOCK_WRAP_MS } from "@orthant/protocol";
import type { EntitiesChange } from "@orthant/protocol/client";
import { EntityTrack } from "./entity-track.ts";

/** Moves the entities in sight smoothly, a little behind the server, between the poses that it has sent. */
export class MovingEntities {
  readonly #time = new DisplayTime();
  readonly #tracks = new Map<number, EntityTrack>();

  /** Handles the start of a connection to a server that ticks this often. */
  welcomed(tickMs: number): void {
    this.#time.start(tickMs);
    this.#tracks.clear();
  }

  /** Handles the server's time, modulo `CLOCK_WRAP_MS`, of the changes that come next. */
  clock(timeMs: number, nowMs: number): void {
    this.#time.received(timeMs, nowMs);
  }

  /** Handles changes of entities. */
  change({ entered, changed, left }: EntitiesChange, nowMs: number): void {
    for (const { number } of left) this.#tracks.delete(number);
    const { tickMs, newestMs = nowMs } = this.#time;
    const displayMs = this.#time.at(nowMs) ?? newestMs;
    for (const entity of [...entered, ...changed]) {
      const track = this.#tracks.get(entity.number);
      if (track !== undefined) track.add(entity, newestMs, tickMs, displayMs);
      else this.#tracks.set(entity.number, new EntityTrack(entity, newestMs, tickMs));
    }
  }

  /** Returns an entity with the pose to show at a time of the client. */
  at(entity: SeenEntity, nowMs: number): SeenEntity {
    const track = this.#tracks.get(entity.number);
    const displayMs = this.#time.at(nowMs);
    if (track === undefined || displayMs === undefined) return entity;
    return { ...entity, ...track.at(displayMs, this.#time.newestMs ?? displayMs) };
  }
}

/** How long the least delay of a message counts, so that a slower path is noticed. */
const WINDOW_MS = 5_000;
/** Messages by whose lateness the delay is chosen. */
const LATENESS_COUNT = 100;
/** Share of the messages that arrive before their time is shown. The others are extrapolated over. */
const IN_TIME_SHARE = 0.8;
/** Bounds of what is added to a tick of the server for late messages. */
const MARGIN_MS_MIN = 25;
const MARGIN_MS_MAX = 250;
/** How much faster or slower than real time the shown time may run while the delay changes. */
const RATE_CHANGE = 0.05;
/** A difference that is jumped over instead. */
const JUMP_MS = 1_000;
/** Messages after the start from which the delay is not known well enough to keep to it: the first one may be late. */
const FIRST_COUNT = 10;

/**
 * The time of the server that a client shows now. It runs as evenly as the client's own clock, however unevenly messages
 * arrive, and behind the newest message by one tick and a margin for late ones: the next pose of what moves is then known.
 */
class DisplayTime {
  #tickMs = 100;
  /** The newest time of the server, and when it arrived. */
  #newest: { readonly serverMs: number; readonly nowMs: number } | undefined;
  /** The least delays, including the difference between the clocks, of this window and the one before. */
  #delayMs = Number.POSITIVE_INFINITY;
  #oldDelayMs = Number.POSITIVE_INFINITY;
  #windowMs = 0;
  #lateness: number[] = [];
  /** The shown time is this much behind the client's clock; it changed from `from` at `sinceMs` on. */
  #behind: { readonly from: number; readonly to: number; readonly sinceMs: number } | undefined;

  /** Starts again, on a connection to a server that ticks this often. */
  start(tickMs: number): void {
    this.#tickMs = tickMs;
    this.#newest = undefined;
    this.#delayMs = Number.POSITIVE_INFINITY;
    this.#oldDelayMs = Number.POSITIVE_INFINITY;
    this.#lateness = [];
    this.#behind = undefined;
  }

  /** The server's tick. */
  get tickMs(): number {
    return this.#tickMs;
  }

  /** The newest time that the server has sent. */
  get newestMs(): number | undefined {
    return this.#newest?.serverMs;
  }

  /** Handles a time of the server, modulo `CLOCK_WRAP_MS`, that arrived now. */
  received(timeMs: number, nowMs: number): void {
    const serverMs = this.#unwrapped(timeMs, nowMs);
    this.#newest = { serverMs, nowMs };
    const delayMs = nowMs - serverMs;
    if (nowMs - this.#windowMs > WINDOW_MS) {
      this.#windowMs = nowMs;
      this.#oldDelayMs = this.#delayMs;
      this.#delayMs = delayMs;
    } else this.#delayMs = Math.min(this.#delayMs, delayMs);
    const leastMs = Math.min(this.#delayMs, this.#oldDelayMs);
    this.#lateness.push(delayMs - leastMs);
    if (this.#lateness.length > LATENESS_COUNT) this.#lateness.shift();
    this.#turn(leastMs + this.#tickMs + this.#marginMs(), nowMs);
  }

  /** Returns the time of the server to show at a time of the client; `undefined` before the first message. */
  at(nowMs: number): number | undefined {
    return this.#behind && nowMs - this.#behindAt(nowMs);
  }

  #unwrapped(timeMs: number, nowMs: number): number {
    if (this.#newest === undefined) return timeMs;
    const expectedMs = this.#newest.serverMs + nowMs - this.#newest.nowMs;
    const turns = Math.round((expectedMs - timeMs) / CLOCK_WRAP_MS);
    return timeMs + turns * CLOCK_WRAP_MS;
  }

  #marginMs(): number {
    const sorted = [...this.#lateness].sort((a, b) => a - b);
    const late = sorted[Math.floor((sorted.length - 1) * IN_TIME_SHARE)] ?? 0;
    return Math.min(MARGIN_MS_MAX, Math.max(MARGIN_MS_MIN, late));
  }

  #turn(to: number, nowMs: number): void {
    const from = this.#behind === undefined ? to : this.#behindAt(nowMs);
    const isJump = this.#lateness.length <= FIRST_COUNT || Math.abs(to - from) > JUMP_MS;
    this.#behind = { from: isJump ? to : from, to, sinceMs: nowMs };
  }

  #behindAt(nowMs: number): number {
    const { from, to, sinceMs } = this.#behind ?? { from: 0, to: 0, sinceMs: nowMs };
    const change = Math.max(0, nowMs - sinceMs) * RATE_CHANGE;
    return from < to ? Math.min(to, from + change) : Math.max(to, from - change);
  }
}
