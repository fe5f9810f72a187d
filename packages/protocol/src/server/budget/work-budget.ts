/** How the work time of a tick is divided. */
interface WorkSlices {
  readonly ms: number;
  /** Called when a slice is over and the tick has time for another one. */
  onOver(): void;
}

/**
 * Time for one kind of work in each tick. Work that does not fit waits for the next tick, so that the process
 * can respond in between. The time comes in slices, and a new slice begins only after a pause. Work that has
 * begun is completed, so it must come in small pieces.
 */
export class WorkBudget {
  readonly #msPerTick: number;
  readonly #nowMs: () => number;
  readonly #slices: WorkSlices | undefined;
  readonly #whole: WorkBudget | undefined;
  #spentMs = 0;
  #sliceMs = 0;
  #isCut = false;

  /** Without `slices`, all work of a tick is done at once. If this is a part of a `whole`, both limits hold. */
  constructor(msPerTick: number, nowMs: () => number, slices?: WorkSlices, whole?: WorkBudget) {
    this.#msPerTick = msPerTick;
    this.#nowMs = nowMs;
    this.#slices = slices;
    this.#whole = whole;
  }

  /** Time spent since the start of the tick. */
  get spentMs(): number {
    return this.#spentMs;
  }

  /** True when some work had to wait since the start of the tick. */
  get isCut(): boolean {
    return this.#isCut;
  }

  /** Begins a tick and its first slice. */
  startTick(): void {
    this.#spentMs = 0;
    this.#isCut = false;
    this.startSlice();
  }

  /** Begins a slice after a pause. */
  startSlice(): void {
    this.#sliceMs = 0;
  }

  /** Returns true when there is time for another piece of work. Call it only with work to do. */
  hasTime(): boolean {
    if (this.#isTickOver) this.#isCut = true;
    return !this.#isTickOver && !this.#isSliceOver && this.#whole?.hasTime() !== false;
  }

  /** Runs a piece of work and counts its time. */
  run<Result>(work: () => Result): Result {
    const startedMs = this.#nowMs();
    try {
      return work();
    } finally {
      // A clock may be set back.
      this.#charge(Math.max(0, this.#nowMs() - startedMs));
    }
  }

  #charge(passedMs: number): void {
    this.#spentMs += passedMs;
    this.#sliceMs += passedMs;
    if (this.#whole !== undefined) this.#whole.#charge(passedMs);
    if (this.#isSliceOver && !this.#isTickOver) this.#slices?.onOver();
  }

  get #isTickOver(): boolean {
    return this.#spentMs >= this.#msPerTick;
  }

  get #isSliceOver(): boolean {
    return this.#slices !== undefined && this.#sliceMs >= this.#slices.ms;
  }
}
