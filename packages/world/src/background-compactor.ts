import type { Clock, Timer } from "@orthant/core";
import type { CompactionReport, SaveWriter } from "@orthant/save";

/** Pause between two slices of work, so that other work is not held up. */
const PAUSE_MS = 2;

/** Removes data that no saved state needs from the disk, in the background and in small slices. */
export class BackgroundCompactor {
  readonly #clock: Clock;
  readonly #writer: SaveWriter;
  readonly #pauses = new Map<Timer, () => void>();
  #isClosed = false;

  constructor(clock: Clock, writer: SaveWriter) {
    this.#clock = clock;
    this.#writer = writer;
  }

  /** Starts a compaction if it is worth it and none runs. A failure does no harm; a later call retries. */
  start(): void {
    if (!this.#isClosed) this.#writer.compact({ pause: () => this.#pause() }).catch(() => undefined);
  }

  /** Removes everything that can be removed and reports what it was. */
  compact(): Promise<CompactionReport> {
    return this.#writer.compact({ pause: () => this.#pause(), force: true });
  }

  /** Stops a running compaction before its next slice. */
  close(): void {
    this.#isClosed = true;
    for (const [timer, goOn] of this.#pauses) {
      timer.cancel();
      goOn();
    }
    this.#pauses.clear();
  }

  #pause(): Promise<void> {
    if (this.#isClosed) return Promise.resolve();
    return new Promise((resolve) => {
      const timer = this.#clock.wait(PAUSE_MS, () => {
        this.#pauses.delete(timer);
        resolve();
      });
      this.#pauses.set(timer, resolve);
    });
  }
}
