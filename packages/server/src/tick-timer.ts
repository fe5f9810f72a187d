import type { Clock, Timer } from "@orthant/core";

/** Calls a function at a steady pace. A call that comes late does not delay the ones after it. */
export class TickTimer {
  readonly #clock: Clock;
  readonly #everyMs: number;
  readonly #tick: (skipped: number) => void;
  #nextMs: number;
  #skipped = 0;
  #stopped = false;
  #timer: Timer | undefined;

  /** Begins at once; the first call comes after one interval. `tick` is told how many calls were left out before it. */
  constructor(clock: Clock, everyMs: number, tick: (skipped: number) => void) {
    this.#clock = clock;
    this.#everyMs = everyMs;
    this.#tick = tick;
    this.#nextMs = clock.nowMs() + everyMs;
    this.#plan(clock.nowMs());
  }

  /** No more calls. */
  stop(): void {
    this.#stopped = true;
    this.#timer?.cancel();
  }

  #plan(nowMs: number): void {
    this.#timer = this.#clock.after(Math.max(0, this.#nextMs - nowMs), () => this.#fire());
  }

  #fire(): void {
    this.#nextMs += this.#everyMs;
    this.#tick(this.#skipped);
    if (this.#stopped) return;
    const nowMs = this.#clock.nowMs();
    // Whole intervals that have passed are left out: catching up would only make it later still.
    this.#skipped = Math.max(0, Math.floor((nowMs - this.#nextMs) / this.#everyMs));
    this.#nextMs += this.#skipped * this.#everyMs;
    // A clock that was set back must not stop the ticks.
    this.#nextMs = Math.min(this.#nextMs, nowMs + this.#everyMs);
    this.#plan(nowMs);
  }
}
