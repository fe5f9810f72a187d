import type { Timer, TimeSource } from "@orthant/core";

interface Call {
  readonly dueMs: number;
  readonly callback: () => void;
}

/** A source of time that only a test advances. */
export class FakeTime implements TimeSource {
  #nowMs: number;
  readonly #calls = new Set<Call>();

  constructor(startMs = 1_000_000) {
    this.#nowMs = startMs;
  }

  nowMs(): number {
    return this.#nowMs;
  }

  after(delayMs: number, callback: () => void): Timer {
    const call: Call = { dueMs: this.#nowMs + delayMs, callback };
    this.#calls.add(call);
    return { cancel: () => this.#calls.delete(call) };
  }

  wait(delayMs: number, callback: () => void): Timer {
    return this.after(delayMs, callback);
  }

  /** When the next call is due; `undefined` if none is scheduled. */
  get nextDueMs(): number | undefined {
    return this.#nextDue(Infinity)?.dueMs;
  }

  /** Advances the time and makes the calls that become due, in order. What they start may need awaiting. */
  advance(ms: number): void {
    const endMs = this.#nowMs + ms;
    for (let next = this.#nextDue(endMs); next !== undefined; next = this.#nextDue(endMs)) {
      this.#nowMs = next.dueMs;
      this.#calls.delete(next);
      next.callback();
    }
    this.#nowMs = endMs;
  }

  /** Returns the earliest call; of several at one time, the one that was scheduled first. */
  #nextDue(endMs: number): Call | undefined {
    let next: Call | undefined;
    for (const call of this.#calls)
      if (call.dueMs <= endMs && call.dueMs < (next?.dueMs ?? Infinity)) next = call;
    return next;
  }
}
