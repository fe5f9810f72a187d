/** How far ahead of its pace a client may be: enough to jump to a different position twice in a row. */
const AHEAD_MS = 1_000;

/** Limits how many new regions per second a client, a player or a network adds. */
export class RegionPace {
  readonly #regionsPerSecond: number;
  /** When all regions so far are paid for. */
  #paidMs = 0;
  #seenMs = 0;

  constructor(regionsPerSecond: number) {
    this.#regionsPerSecond = regionsPerSecond;
  }

  /** Returns true when new regions may be added now. */
  isInTime(nowMs: number): boolean {
    this.#notice(nowMs);
    return this.#paidMs - nowMs <= AHEAD_MS;
  }

  /** Returns true when all regions so far are paid for. */
  isPaid(nowMs: number): boolean {
    this.#notice(nowMs);
    return this.#paidMs <= nowMs;
  }

  /** Charges for new regions. */
  charge(regions: number, nowMs: number): void {
    this.#paidMs = Math.max(this.#paidMs, nowMs) + (regions * 1_000) / this.#regionsPerSecond;
  }

  /** Handles a clock that was set back, so that clients do not wait for it. */
  #notice(nowMs: number): void {
    if (nowMs < this.#seenMs) this.#paidMs = nowMs;
    this.#seenMs = nowMs;
  }
}
