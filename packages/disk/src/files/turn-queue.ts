/** Runs asynchronous work one piece after the other. */
export class TurnQueue {
  #last: Promise<unknown> = Promise.resolve();

  /** Runs `work` after everything queued before it, even if that failed. */
  run<Value>(work: () => Promise<Value>): Promise<Value> {
    const result = this.#last.then(work);
    this.#last = result.catch(() => undefined);
    return result;
  }

  /** Resolves when nothing is running or waiting. */
  async idle(): Promise<void> {
    for (let turn: unknown; turn !== this.#last; ) {
      turn = this.#last;
      await this.#last;
    }
  }
}
