import type { Timer, TimeSource } from "@orthant/core";

/** Calls `save` one interval after the first change since the last save, unless paused. */
export class AutosaveTimer {
  readonly #time: TimeSource;
  readonly #intervalMs: number;
  readonly #save: () => void;
  #timer: Timer | undefined;
  #isPaused = false;
  /** True if the interval ended during a pause. */
  #isDue = false;

  constructor(time: TimeSource, intervalMs: number, save: () => void) {
    this.#time = time;
    this.#intervalMs = intervalMs;
    this.#save = save;
  }

  get isPaused(): boolean {
    return this.#isPaused;
  }

  /** Starts the interval, unless it is already running or its save is due. */
  start(): void {
    if (this.#isDue) return;
    this.#timer ??= this.#time.after(this.#intervalMs, () => {
      this.#timer = undefined;
      if (this.#isPaused) this.#isDue = true;
      else this.#save();
    });
  }

  /** Stops the interval without a save. */
  cancel(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
    this.#isDue = false;
  }

  /** Suspends saves. The interval keeps running. */
  pause(): void {
    this.#isPaused = true;
  }

  /** Ends the pause, and runs the save that fell due during it. */
  resume(): void {
    this.#isPaused = false;
    if (!this.#isDue) return;
    this.#isDue = false;
    this.#save();
  }
}

/** A requested save. */
export class PixelSaveHandle {
  /** Resolves when everything stored before the call is durable; rejects if that is no longer possible. */
  readonly done: Promise<void>;
  #isComplete = false;
  #failure: unknown;

  constructor(done: Promise<void>) {
    this.done = done;
    done.then(
      () => {
        this.#isComplete = true;
      },
      // Callers that only poll never await `done`: its rejection must not end their process.
      (error: unknown) => {
        this.#failure = error;
      },
    );
  }

  /** True when the save is durable, so that the game may exit. */
  get isComplete(): boolean {
    return this.#isComplete;
  }

  /** Why the save failed; `undefined` unless it has. */
  get failure(): unknown {
    return this.#failure;
  }
}
