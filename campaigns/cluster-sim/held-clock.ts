import type { Clock, Timer } from "@orthant/core";

/** The clock of one process: it may pause, jump and end. */
export class HeldClock implements Clock {
  readonly #clock: Clock;
  #jumpedMs = 0;
  #held: (() => void)[] | undefined;
  #isDead = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  nowMs(): number {
    return this.#clock.nowMs() + this.#jumpedMs;
  }

  after(delayMs: number, callback: () => void): Timer {
    return this.#cancellable(callback, (happen) => this.#clock.after(delayMs, happen));
  }

  wait(delayMs: number, callback: () => void): Timer {
    return this.#cancellable(callback, (happen) => this.#clock.wait(delayMs, happen));
  }

  /** Runs `act` in the process: now, when it resumes, or never. */
  happen(act: () => void): void {
    if (this.#isDead) return;
    if (this.#held === undefined) act();
    else this.#held.push(act);
  }

  /** Shifts the machine's time. Timers are not affected. */
  jump(byMs: number): void {
    this.#jumpedMs += byMs;
  }

  pause(): void {
    this.#held ??= [];
  }

  resume(): void {
    const held = this.#held ?? [];
    this.#held = undefined;
    for (const act of held) this.happen(act);
  }

  kill(): void {
    this.#isDead = true;
  }

  /** Makes sure that a held call can still be cancelled. */
  #cancellable(callback: () => void, start: (happen: () => void) => Timer): Timer {
    let isCancelled = false;
    const timer = start(() =>
      this.happen(() => {
        if (!isCancelled) callback();
      }),
    );
    return {
      cancel: () => {
        isCancelled = true;
        timer.cancel();
      },
    };
  }
}
