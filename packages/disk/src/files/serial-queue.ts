/** Something that a caller waits for after its task. */
type Until = () => Promise<void>;

interface Waiting {
  readonly task: () => unknown;
  readonly until: Until | undefined;
  readonly resolve: (result: never) => void;
  readonly reject: (error: unknown) => void;
  result: unknown;
}

/**
 * Runs tasks one after the other, in the order of the calls, and none of them before its caller continues. A failed
 * task does not stop the next. Tasks that return no promise run in one go: they cost one promise each.
 */
export class SerialQueue {
  #waiting: Waiting[] = [];
  #draining: Promise<void> | undefined;
  /** Tasks that have ended and whose callers wait for the same thing. */
  #ended: Waiting[] = [];

  /**
   * Runs `task` after all earlier ones. Its caller also waits for `until()`, which the next task does not: it is called
   * once for all tasks that ran in one go and have the same.
   */
  run<Result>(task: () => Promise<Result> | Result, until?: Until): Promise<Result> {
    return new Promise<Result>((resolve, reject) => {
      this.#waiting.push({ task, until, resolve, reject, result: undefined });
      this.#draining ??= this.#drain();
    });
  }

  /** Whether no task is running or waiting. */
  get isIdle(): boolean {
    return this.#draining === undefined;
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
      for (const waiting of batch) {
        const { task, until, resolve, reject } = waiting;
        try {
          const result = task();
          if (result instanceof Promise) void this.#release();
          waiting.result = result instanceof Promise ? await result : result;
          if (until === undefined) resolve(waiting.result as never);
          else this.#hold(waiting);
        } catch (error) {
          reject(error);
        }
      }
      void this.#release();
    }
    this.#draining = undefined;
  }

  #hold(waiting: Waiting): void {
    if (this.#ended[0]?.until !== waiting.until) void this.#release();
    this.#ended.push(waiting);
  }

  /** Lets the callers of the tasks that have ended wait for the rest. */
  async #release(): Promise<void> {
    const ended = this.#ended;
    const until = ended[0]?.until;
    if (until === undefined) return;
    this.#ended = [];
    try {
      await until();
      for (const { resolve, result } of ended) resolve(result as never);
    } catch (error) {
      for (const { reject } of ended) reject(error);
    }
  }
}
