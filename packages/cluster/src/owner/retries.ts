import { type Clock, isOrthantError, type Timer } from "@orthant/core";

const RETRY_MS = 200;

/** Tries again what the engine did not answer, until it does or somebody ends it. */
export class Retries {
  readonly #clock: Clock;
  readonly #waiting = new Map<Timer, (error: unknown) => void>();
  #end: { readonly error: unknown } | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** What an attempt gives at last; whatever it throws that is not the engine's silence. */
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

  /** Gives up: everything that waits fails with this, and everything that is tried from now on. */
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
      const timer = this.#clock.wait(RETRY_MS, () => {
        this.#waiting.delete(timer);
        resolve();
      });
      this.#waiting.set(timer, reject);
    });
  }
}
