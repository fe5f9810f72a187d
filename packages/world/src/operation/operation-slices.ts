import type { TimeSource } from "@orthant/core";
import { nextTurn } from "@orthant/core/time";

/** How long an operation computes before it lets other work go on. */
const SLICE_MS = 3;

/** Shares the event loop: in each of its turns at most one operation computes, for a few milliseconds. */
export class OperationSlices {
  readonly #time: TimeSource;
  /** Resolves when the last operation that waits has its turn. */
  #last: Promise<void> = Promise.resolve();

  constructor(time: TimeSource) {
    this.#time = time;
  }

  /** Begins the slices of one operation. */
  begin(): OperationSlice {
    return new OperationSlice(this.#time, () => this.#turn());
  }

  #turn(): Promise<void> {
    this.#last = this.#last.then(nextTurn);
    return this.#last;
  }
}

/** The present slice of an operation. */
export class OperationSlice {
  readonly #time: TimeSource;
  readonly #nextTurn: () => Promise<void>;
  #startedMs: number;

  constructor(time: TimeSource, nextTurn: () => Promise<void>) {
    this.#time = time;
    this.#nextTurn = nextTurn;
    this.#startedMs = time.nowMs();
  }

  /** Lets other work go on if the slice is over. */
  pause(): Promise<void> | undefined {
    return this.#time.nowMs() - this.#startedMs < SLICE_MS ? undefined : this.end();
  }

  /** Lets other work go on, and begins another slice. */
  async end(): Promise<void> {
    await this.#nextTurn();
    this.#startedMs = this.#time.nowMs();
  }
}
