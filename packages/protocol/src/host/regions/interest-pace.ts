import type { Interest } from "../../message/client-message.ts";

/** A client may be so far ahead of its pace: it may jump to quite another place twice in a row. */
const AHEAD_MS = 1_000;

/** Lets one client come to new regions at some pace. An interest that comes too early waits; the latest one counts. */
export class InterestPace {
  readonly #regionsPerSecond: number;
  #waiting: Interest | undefined;
  /** Until when all regions that the client came to so far are paid for. */
  #paidMs = 0;
  #seenMs = 0;

  constructor(regionsPerSecond: number) {
    this.#regionsPerSecond = regionsPerSecond;
  }

  /** Takes an interest, instead of one that waits. */
  add(interest: Interest): void {
    this.#waiting = interest;
  }

  /** The interest that counts from now on, if there is a new one and it is time. */
  take(nowMs: number): Interest | undefined {
    // A machine's clock may be set back: nobody is made to wait for that.
    if (nowMs < this.#seenMs) this.#paidMs = nowMs;
    this.#seenMs = nowMs;
    if (this.#paidMs - nowMs > AHEAD_MS) return undefined;
    const interest = this.#waiting;
    this.#waiting = undefined;
    return interest;
  }

  /** The client came to so many new regions. */
  charge(regions: number, nowMs: number): void {
    this.#paidMs = Math.max(this.#paidMs, nowMs) + (regions * 1_000) / this.#regionsPerSecond;
  }
}
