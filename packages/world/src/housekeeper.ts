import type { Clock, Timer } from "@orthant/core";
import type { CompactionReport, SaveWriter } from "@orthant/formats";

/** Between two slices of work nobody is kept waiting for so long. */
const PAUSE_MS = 2;

/** Takes what no saved state needs any more off the disk, in the background and in small slices. */
export class Housekeeper {
  readonly #clock: Clock;
  readonly #writer: SaveWriter;
  readonly #pauses = new Map<Timer, () => void>();
  #isClosed = false;

  constructor(clock: Clock, writer: SaveWriter) {
    this.#clock = clock;
    this.#writer = writer;
  }

  /** Begins, if there is enough to gain and nothing runs. What goes wrong leaves the save as it is, and is tried again. */
  tidy(): void {
    if (!this.#isClosed) this.#writer.compact({ pause: () => this.#pause() }).catch(() => undefined);
  }

  /** Takes off all that can be, and says what that was. */
  compact(): Promise<CompactionReport> {
    return this.#writer.compact({ pause: () => this.#pause(), force: true });
  }

  /** Waits for nothing more, so that whatever runs ends before its next slice. */
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
