/** The result of a call that did not answer in time. */
export const TOO_LATE: unique symbol = Symbol("too late");

interface Call {
  readonly startedMs: number;
  readonly giveUp: () => void;
}

/** Calls to a game's rules that have not answered. Has no timer: a tick gives up those that take too long. */
export class RuleCalls {
  readonly #calls = new Set<Call>();
  readonly #nowMs: () => number;
  readonly #limitMs: number;

  constructor(limitMs: number, nowMs: () => number) {
    this.#limitMs = limitMs;
    this.#nowMs = nowMs;
  }

  /** Resolves with the result of `ask`, or with `TOO_LATE` after the limit. Rejects if `ask` throws before it. */
  async wait<Value>(ask: () => Value | Promise<Value>): Promise<Value | typeof TOO_LATE> {
    const answer = Promise.resolve(ask());
    return new Promise((resolve, reject) => {
      const call = { startedMs: this.#nowMs(), giveUp: () => resolve(TOO_LATE) };
      this.#calls.add(call);
      // A late answer, or a late error, has no effect.
      void answer.then(resolve, reject).finally(() => this.#calls.delete(call));
    });
  }

  /** Gives up the calls that have taken too long. */
  tick(): void {
    const nowMs = this.#nowMs();
    for (const call of this.#calls) {
      if (nowMs - call.startedMs < this.#limitMs) continue;
      this.#calls.delete(call);
      call.giveUp();
    }
  }
}
