import type { SaveChange } from "@orthant/save";
import type { ExternalLog, LoggedChange, LoggedEntry } from "@orthant/world/engine";

/** A log that treats everything as stored at once. */
export class SampleLog implements ExternalLog {
  readonly epoch: number;
  readonly entries: LoggedEntry[] = [];
  readonly #changes: readonly LoggedChange[];

  constructor(epoch: number, changes: readonly LoggedChange[] = []) {
    this.epoch = epoch;
    this.#changes = changes;
  }

  async *recover(): AsyncIterable<LoggedChange> {
    yield* this.#changes;
  }

  add(entry: LoggedEntry): void {
    this.entries.push(entry);
  }

  attach(): void {
    // It never fails.
  }

  async whenDurable(): Promise<void> {
    // Everything is safe.
  }

  rotate(): number {
    return this.entries.length;
  }

  async prepare(change: SaveChange): Promise<SaveChange> {
    return change;
  }

  async committed(): Promise<void> {
    // It keeps everything.
  }

  stop(): void {
    // It never waits.
  }

  async close(): Promise<void> {
    // It holds no resources.
  }
}
