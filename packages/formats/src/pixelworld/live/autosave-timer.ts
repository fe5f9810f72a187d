import type { Clock, Timer } from "@orthant/core";

/** Calls `save` one interval after the first change since the last save, unless it is paused. */
export class AutosaveTimer {
  readonly #clock: Clock;
  readonly #intervalMs: number;
  readonly #save: () => void;
  #timer: Timer | undefined;
  #isPaused = false;
  /** The interval ended during a pause. */
  #isDue = false;

  constructor(clock: Clock, intervalMs: number, save: () => void) {
    this.#clock = clock;
    this.#intervalMs = intervalMs;
    this.#save = save;
  }

  get isPaused(): boolean {
    return this.#isPaused;
  }

  /** Starts the interval, unless it runs already or its save is due. */
  start(): void {
    if (this.#isDue) return;
    this.#timer ??= this.#clock.after(this.#intervalMs, () => {
      this.#timer = undefined;
      if (this.#isPaused) this.#isDue = true;
      else this.#save();
    });
  }

  /** Ends the interval without a save. */
  cancel(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
    this.#isDue = false;
  }

  /** Holds saves back. The interval goes on. */
  pause(): void {
    this.#isPaused = true;
  }

  /** Ends the pause, and makes the save that fell due in it. */
  resume(): void {
    this.#isPaused = false;
    if (!this.#isDue) return;
    this.#isDue = false;
    this.#save();
  }
}
