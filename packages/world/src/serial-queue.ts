/** Runs tasks one after the other, in the order in which they were given. A task that fails does not stop the next. */
export class SerialQueue {
  #last: Promise<unknown> = Promise.resolve();

  /** Runs a task when all earlier ones are done; gives its result. */
  run<Result>(task: () => Promise<Result> | Result): Promise<Result> {
    const result = this.#last.then(task);
    // The queue goes on whatever becomes of the task; its caller has the promise that tells.
    this.#last = result.catch(() => undefined);
    return result;
  }

  /** Resolves when every task given so far is done. */
  async idle(): Promise<void> {
    await this.#last;
  }
}
