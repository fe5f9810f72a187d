import type { Timer, TimeSource } from "@orthant/core";
import type { CompactionReport, SaveWriter } from "@orthant/save";

/** Saves a fixed time after the first change since the last save, no matter how many more changes follow. */
export class Autosave {
  readonly #time: TimeSource;
  readonly #save: () => void;
  #timer: Timer | undefined;
  #dueMs = Infinity;

  constructor(time: TimeSource, save: () => void) {
    this.#time = time;
    this.#save = save;
  }

  /** Schedules a save within `delayMs`. A save that is already due earlier stays scheduled. */
  within(delayMs: number): void {
    const dueMs = this.#time.nowMs() + delayMs;
    if (dueMs >= this.#dueMs) return;
    this.cancel();
    this.#dueMs = dueMs;
    this.#timer = this.#time.after(delayMs, () => {
      this.cancel();
      this.#save();
    });
  }

  cancel(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
    this.#dueMs = Infinity;
  }
}

/** Pause between two slices of work, so that other work is not held up. */
const PAUSE_MS = 2;

/** Removes data that no saved state needs from the disk, in the background and in small slices. */
export class BackgroundCompactor {
  readonly #time: TimeSource;
  readonly #writer: SaveWriter;
  readonly #pauses = new Map<Timer, () => void>();
  #isClosed = false;

  constructor(time: TimeSource, writer: SaveWriter) {
    this.#time = time;
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
    for (const [timer, resume] of this.#pauses) {
      timer.cancel();
      resume();
    }
    this.#pauses.clear();
  }

  #pause(): Promise<void> {
    if (this.#isClosed) return Promise.resolve();
    return new Promise((resolve) => {
      const timer = this.#time.wait(PAUSE_MS, () => {
        this.#pauses.delete(timer);
        resolve();
      });
      this.#pauses.set(timer, resolve);
    });
  }
}
