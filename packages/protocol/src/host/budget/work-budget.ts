/**
 * Time for one kind of work in each tick. What does not fit waits for the next tick, so that the process can answer in
 * between. Work that has begun goes on to its end: it has to come in small pieces.
 */
export class WorkBudget {
  readonly #msPerTick: number;
  readonly #nowMs: () => number;
  #spentMs = 0;
  #isCut = false;

  constructor(msPerTick: number, nowMs: () => number) {
    this.#msPerTick = msPerTick;
    this.#nowMs = nowMs;
  }

  /** Time spent since the last tick began. */
  get spentMs(): number {
    return this.#spentMs;
  }

  /** True when some work had to wait since the last tick began. */
  get isCut(): boolean {
    return this.#isCut;
  }

  /** Begins a tick. */
  startTick(): void {
    this.#spentMs = 0;
    this.#isCut = false;
  }

  /** True when there is time for another piece of work; asked only by those that have one to do. */
  hasTime(): boolean {
    if (this.#spentMs < this.#msPerTick) return true;
    this.#isCut = true;
    return false;
  }

  /** Does a piece of work and counts its time. */
  run<Result>(work: () => Result): Result {
    const startedMs = this.#nowMs();
    try {
      return work();
    } finally {
      // A clock may be set back.
      this.#spentMs += Math.max(0, this.#nowMs() - startedMs);
    }
  }
}
