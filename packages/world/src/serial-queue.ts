/** Runs tasks one after the other, in submission order. A failed task does not stop the next. */
export class SerialQueue {
  #last: Promise<unknown> = Promise.resolve();

  /** Runs a task after all earlier ones and returns its result. */
  run<Result>(task: () => Promise<Result> | Result): Promise<Result> {
    const result = this.#last.then(task);
    // The queue continues after a failure; the caller's promise reports it.
    this.#last = result.catch(() => undefined);
    return result;
  }

  /** Resolves when all tasks submitted so far are done. */
  async idle(): Promise<void> {
    await this.#last;
  }
}
