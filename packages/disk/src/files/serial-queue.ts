/** Runs tasks one after the other, in the order of the calls. A failed task does not stop the next. */
export class SerialQueue {
  #last: Promise<unknown> = Promise.resolve();

  /** Runs `task` after all earlier ones. */
  run<Result>(task: () => Promise<Result> | Result): Promise<Result> {
    const result = this.#last.then(task);
    // The queue continues after a failure; the caller's promise reports it.
    this.#last = result.catch(() => undefined);
    return result;
  }

  /** Resolves when no task is running or waiting. */
  async idle(): Promise<void> {
    for (let last: unknown; last !== this.#last; ) {
      last = this.#last;
      await this.#last;
    }
  }
}
