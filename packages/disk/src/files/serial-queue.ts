interface Waiting {
  readonly task: () => unknown;
  readonly resolve: (result: never) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Runs tasks one after the other, in the order of the calls, and none of them before its caller continues. A failed
 * task does not stop the next. Tasks that return no promise run in one go: they cost one promise each.
 */
export class SerialQueue {
  #waiting: Waiting[] = [];
  #draining: Promise<void> | undefined;

  /** Runs `task` after all earlier ones. */
  run<Result>(task: () => Promise<Result> | Result): Promise<Result> {
    return new Promise<Result>((resolve, reject) => {
      this.#waiting.push({ task, resolve, reject });
      this.#draining ??= this.#drain();
    });
  }

  /** Resolves when no task is running or waiting. */
  async idle(): Promise<void> {
    while (this.#draining !== undefined) await this.#draining;
  }

  async #drain(): Promise<void> {
    await undefined;
    while (this.#waiting.length > 0) {
      const batch = this.#waiting;
      this.#waiting = [];
      for (const { task, resolve, reject } of batch) {
        try {
          const result = task();
          resolve((result instanceof Promise ? await result : result) as never);
        } catch (error) {
          reject(error);
        }
      }
    }
    this.#draining = undefined;
  }
}
