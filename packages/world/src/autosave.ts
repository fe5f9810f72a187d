import type { Clock, Timer } from "@orthant/core";

/** Saves some time after the first change since the last save, however many more follow. */
export class Autosave {
  readonly #clock: Clock;
  readonly #save: () => void;
  #timer: Timer | undefined;
  #dueMs = Infinity;

  constructor(clock: Clock, save: () => void) {
    this.#clock = clock;
    this.#save = save;
  }

  /** Makes sure that a save comes within this time. An earlier one that is planned already stays. */
  within(delayMs: number): void {
    const dueMs = this.#clock.nowMs() + delayMs;
    if (dueMs >= this.#dueMs) return;
    this.cancel();
    this.#dueMs = dueMs;
    this.#timer = this.#clock.after(delayMs, () => {
      this.cancel();
      this.#save();
    });
  }

  /** Forgets what was planned. */
  cancel(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
    this.#dueMs = Infinity;
  }
}
