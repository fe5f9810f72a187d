/** How far ahead of its pace a client may be: it may jump to quite another place twice in a row. */
const AHEAD_MS = 1_000;

/** Limits how many new regions a second a client, a player or a network comes to. */
export class RegionPace {
  readonly #regionsPerSecond: number;
  /** Until when all regions so far are paid for. */
  #paidMs = 0;
  #seenMs = 0;

  constructor(regionsPerSecond: number) {
    this.#regionsPerSecond = regionsPerSecond;
  }

  /** True when new regions may come now. */
  isInTime(nowMs: number): boolean {
    this.#notice(nowMs);
    return this.#paidMs - nowMs <= AHEAD_MS;
  }

  /** True when all regions so far are paid for. */
  isPaid(nowMs: number): boolean {
    this.#notice(nowMs);
    return this.#paidMs <= nowMs;
  }

  /** Charges for new regions. */
  charge(regions: number, nowMs: number): void {
    this.#paidMs = Math.max(this.#paidMs, nowMs) + (regions * 1_000) / this.#regionsPerSecond;
  }

  /** A machine's clock may be set back: clients do not wait for that. */
  #notice(nowMs: number): void {
    if (nowMs < this.#seenMs) this.#paidMs = nowMs;
    this.#seenMs = nowMs;
  }
}
