import { isOrthantError, type OrthantError, type Timer, type TimeSource } from "@orthant/core";

/** Called when a call has been retried for a long time, and again every minute. It is retried further. */
type StuckListener = (error: unknown, waitedMs: number) => void;

const RETRY_MS = 200;
/** Time after which a call that the backbone does not answer is reported, and between two reports. */
const STUCK_MS = 10_000;
const STUCK_AGAIN_MS = 60_000;

/** Retries calls that the backbone did not answer, until it does or `end` is called. */
export class Retries {
  readonly #time: TimeSource;
  readonly #onStuck: StuckListener | undefined;
  readonly #waiting = new Map<Timer, (error: unknown) => void>();
  #end: { readonly error: unknown } | undefined;

  constructor(time: TimeSource, onStuck?: StuckListener) {
    this.#time = time;
    this.#onStuck = onStuck;
  }

  /** Repeats `attempt` while it throws `ORT_BACKBONE_AWAY`. Returns its result or throws any other error. */
  async until<Result>(attempt: () => Promise<Result>): Promise<Result> {
    const startMs = this.#time.nowMs();
    let reportMs = startMs + STUCK_MS;
    for (;;) {
      if (this.#end !== undefined) throw this.#end.error;
      try {
        return await attempt();
      } catch (error) {
        if (!isOrthantError(error, "ORT_BACKBONE_AWAY")) throw error;
        const nowMs = this.#time.nowMs();
        if (nowMs >= reportMs) {
          reportMs = nowMs + STUCK_AGAIN_MS;
          this.#onStuck?.(error, nowMs - startMs);
        }
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

/** Waits for work, at most for `ms`. Then it throws the error of `late`; the work itself goes on. */
export async function within<Result>(
  time: TimeSource,
  ms: number,
  work: Promise<Result>,
  late: () => OrthantError,
): Promise<Result> {
  let timer: Timer | undefined;
  const end = new Promise<never>((_resolve, reject) => {
    timer = time.wait(ms, () => reject(late()));
  });
  try {
    return await Promise.race([work, end]);
  } finally {
    timer?.cancel();
    // The caller has the error already, unless the work fails after the time is up.
    work.catch(() => undefined);
  }
}
