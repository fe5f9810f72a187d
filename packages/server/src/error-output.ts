import { inspect } from "node:util";
import type { TimeSource } from "@orthant/core";
import { printable } from "@orthant/core/arguments";

/** Interval in which each error is written once. */
const INTERVAL_MS = 1_000;
/** Most errors written in an interval: a message may contain what a player chose. */
const ERRORS_MAX = 10;

/** Writes errors of a game's own functions to standard error, for a server whose log would not show them. */
export class ErrorOutput {
  readonly #time: TimeSource;
  readonly #written = new Set<string>();
  #sinceMs = Number.NEGATIVE_INFINITY;

  constructor(time: TimeSource) {
    this.#time = time;
  }

  /** Writes an error with its stack, unless the same one was written less than a second ago. */
  write(title: string, error: unknown): void {
    const nowMs = this.#time.nowMs();
    if (nowMs >= this.#sinceMs + INTERVAL_MS) {
      this.#sinceMs = nowMs;
      this.#written.clear();
    }
    const message = `${title}: ${String(error)}`;
    if (this.#written.size === ERRORS_MAX || this.#written.has(message)) return;
    this.#written.add(message);
    const lines = `${title}: ${inspect(error)}`.split("\n").map(printable);
    process.stderr.write(`${lines.join("\n")}\n`);
  }
}
