import type { Clock, Timer } from "@orthant/core";

/** Saves a fixed time after the first change since the last save, no matter how many more changes follow. */
export class Autosave {
  readonly #clock: Clock;
  readonly #save: () => void;
  #timer: Timer | undefined;
  #dueMs = Infinity;

  constructor(clock: Clock, save: () => void) {
    this.#clock = clock;
    this.#save = save;
  }

  /** Schedules a save within `delayMs`. A save that is already due earlier stays scheduled. */
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

  /** Cancels the scheduled save. */
  cancel(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
    this.#dueMs = Infinity;
  }
}
