import { systemTime, type Timer, type TimeSource } from "@orthant/core";

/** Monotonic time: changes of the machine's clock must not stop limits and ticks for an hour. */
export const steadyTime: TimeSource = {
  nowMs: () => performance.timeOrigin + performance.now(),
  after: (delayMs, callback) => systemTime.after(delayMs, callback),
  wait: (delayMs, callback) => systemTime.wait(delayMs, callback),
};

/** How late a call may be while frames wait. Less would leave too little time to read them. */
const LATE_MS = 400;

/** Calls a function at a steady pace. A late call does not delay the following ones. */
export class TickTimer {
  readonly #time: TimeSource;
  readonly #everyMs: number;
  readonly #tick: (skipped: number) => void;
  #nextMs: number;
  #skipped = 0;
  #stopped = false;
  #timer: Timer | undefined;

  /** Starts at once; the first call comes after one interval. `tick` receives the number of skipped calls. */
  constructor(time: TimeSource, everyMs: number, tick: (skipped: number) => void) {
    this.#time = time;
    this.#everyMs = everyMs;
    this.#tick = tick;
    this.#nextMs = time.nowMs() + everyMs;
    this.#plan(time.nowMs());
  }

  /**
   * Makes the next call now if it is very late: the event loop may read from thousands of sockets for many seconds
   * before it runs its timers.
   */
  callIfLate(): void {
    if (this.#stopped || this.#time.nowMs() < this.#nextMs + LATE_MS) return;
    this.#timer?.cancel();
    this.#fire();
  }

  /** Stops the calls. */
  stop(): void {
    this.#stopped = true;
    this.#timer?.cancel();
  }

  #plan(nowMs: number): void {
    this.#timer = this.#time.after(Math.max(0, this.#nextMs - nowMs), () => this.#fire());
  }

  #fire(): void {
    this.#nextMs += this.#everyMs;
    this.#tick(this.#skipped);
    if (this.#stopped) return;
    const nowMs = this.#time.nowMs();
    // Skips whole intervals that have passed: catching up would only cause more delay.
    this.#skipped = Math.max(0, Math.floor((nowMs - this.#nextMs) / this.#everyMs));
    this.#nextMs += this.#skipped * this.#everyMs;
    // A clock that was set back must not stop the ticks.
    this.#nextMs = Math.min(this.#nextMs, nowMs + this.#everyMs);
    this.#plan(nowMs);
  }
}
