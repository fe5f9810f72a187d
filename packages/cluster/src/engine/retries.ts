import { isOrthantError, type Timer, type TimeSource } from "@orthant/core";

const RETRY_MS = 200;

/** Retries calls that the engine did not answer, until it does or `end` is called. */
export class Retries {
  readonly #time: TimeSource;
  readonly #waiting = new Map<Timer, (error: unknown) => void>();
  #end: { readonly error: unknown } | undefined;

  constructor(time: TimeSource) {
    this.#time = time;
  }

  /** Repeats `attempt` while it throws `ORT_ENGINE_AWAY`. Returns its result or throws any other error. */
  async until<Result>(attempt: () => Promise<Result>): Promise<Result> {
    for (;;) {
      if (this.#end !== undefined) throw this.#end.error;
      try {
        return await attempt();
      } catch (error) {
        if (!isOrthantError(error, "ORT_ENGINE_AWAY")) throw error;
        await this.#pause();
      }
    }
  }

  /** Gives up: all pending and later calls fail with `error`. */
  end(error: unknown): void {
    this.#end ??= { error };
    for (const [timer, reject] of this.#waiting) {
      timer.cancel();
      reject(error);
    }
    this.#waiting.clear();
  }

  #pause(): Promise<void> {
    return new Promise((resolve, reject) => {
      if (this.#end !== undefined) return reject(this.#end.error);
      const timer = this.#time.wait(RETRY_MS, () => {
        this.#waiting.delete(timer);
        resolve();
      });
      this.#waiting.set(timer, reject);
    });
  }
}
