/** How the time of a tick is cut up. */
export interface WorkSlices {
  readonly ms: number;
  /** A slice is over, and the tick has time for another one. */
  onOver(): void;
}

/**
 * Time for one kind of work in each tick. What does not fit waits for the next tick, so that the process can answer in
 * between. The time comes in slices, and a new one begins only when the process has had a pause. Work that has begun
 * goes on to its end: it has to come in small pieces.
 */
export class WorkBudget {
  readonly #msPerTick: number;
  readonly #nowMs: () => number;
  readonly #slices: WorkSlices | undefined;
  #spentMs = 0;
  #sliceMs = 0;
  #isCut = false;

  /** Without `slices` all of a tick's work is done at one time. */
  constructor(msPerTick: number, nowMs: () => number, slices?: WorkSlices) {
    this.#msPerTick = msPerTick;
    this.#nowMs = nowMs;
    this.#slices = slices;
  }

  /** Time spent since the last tick began. */
  get spentMs(): number {
    return this.#spentMs;
  }

  /** True when some work had to wait since the last tick began. */
  get isCut(): boolean {
    return this.#isCut;
  }

  /** Begins a tick, with a slice. */
  startTick(): void {
    this.#spentMs = 0;
    this.#isCut = false;
    this.startSlice();
  }

  /** Begins a slice: the process has had a pause. */
  startSlice(): void {
    this.#sliceMs = 0;
  }

  /** True when there is time for another piece of work; asked only by those that have one to do. */
  hasTime(): boolean {
    if (this.#isTickOver) this.#isCut = true;
    return !this.#isTickOver && !this.#isSliceOver;
  }

  /** Does a piece of work and counts its time. */
  run<Result>(work: () => Result): Result {
    const startedMs = this.#nowMs();
    try {
      return work();
    } finally {
      // A clock may be set back.
      const passedMs = Math.max(0, this.#nowMs() - startedMs);
      this.#spentMs += passedMs;
      this.#sliceMs += passedMs;
      if (this.#isSliceOver && !this.#isTickOver) this.#slices?.onOver();
    }
  }

  get #isTickOver(): boolean {
    return this.#spentMs >= this.#msPerTick;
  }

  get #isSliceOver(): boolean {
    return this.#slices !== undefined && this.#sliceMs >= this.#slices.ms;
  }
}
