/** Runs asynchronous work one piece after the other. */
export class TurnQueue {
  #last: Promise<unknown> = Promise.resolve();

  /** Runs `work` after everything that was queued before it, also when that failed. */
  run<Value>(work: () => Promise<Value>): Promise<Value> {
    const result = this.#last.then(work);
    this.#last = result.catch(() => undefined);
    return result;
  }

  /** Resolves when nothing runs or waits. */
  async idle(): Promise<void> {
    for (let turn: unknown; turn !== this.#last; ) {
      turn = this.#last;
      await this.#last;
    }
  }
}
