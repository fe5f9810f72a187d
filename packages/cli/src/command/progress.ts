import type { TimeSource } from "@orthant/core";
import { type FormatProgress, formatBytes, formatCount } from "@orthant/formats";
import type { TextSink } from "./environment.ts";
import { formatDuration } from "./report.ts";

/** For a pipe, a file, `--quiet` and `--json`. */
export const noProgress: FormatProgress = { advance: () => undefined, end: () => undefined };

/** Minimum interval between updates. */
const REFRESH_MS = 100;
/** Time before which a rate is meaningless. */
const RATE_MS = 500;
const ERASE_LINE = "\r\u001b[2K";

/** A line on a terminal with the progress, the rate and the remaining time. */
export class ProgressLine implements FormatProgress {
  readonly #sink: TextSink;
  readonly #time: TimeSource;
  readonly #label: string;
  readonly #unit: string;
  readonly #total: number | undefined;
  readonly #startMs: number;
  #shownMs = Number.NEGATIVE_INFINITY;
  #done = 0;

  constructor(sink: TextSink, time: TimeSource, label: string, unit: string, total: number | undefined) {
    this.#sink = sink;
    this.#time = time;
    this.#label = label;
    this.#unit = unit;
    this.#total = total;
    this.#startMs = time.nowMs();
  }

  advance(amount: number): void {
    this.#done += amount;
    const nowMs = this.#time.nowMs();
    if (nowMs - this.#shownMs < REFRESH_MS) return;
    this.#shownMs = nowMs;
    const line = this.#describe(nowMs - this.#startMs);
    this.#sink.write(`${ERASE_LINE}${line.slice(0, (this.#sink.columns ?? 80) - 1)}`);
  }

  end(): void {
    if (this.#shownMs !== Number.NEGATIVE_INFINITY) this.#sink.write(ERASE_LINE);
  }

  #describe(elapsedMs: number): string {
    const total = this.#total === undefined ? undefined : Math.max(this.#total, this.#done);
    const share = total === undefined || total === 0 ? "" : `${Math.floor((100 * this.#done) / total)}%, `;
    const parts = [`${this.#label} ${share}${this.#amount(this.#done)}`];
    if (elapsedMs >= RATE_MS) {
      const perMs = this.#done / elapsedMs;
      parts.push(`${this.#amount(perMs * 1000)}/s`);
      if (total !== undefined && perMs > 0)
        parts.push(`${formatDuration((total - this.#done) / perMs)} left`);
    }
    return parts.join(", ");
  }

  #amount(amount: number): string {
    return this.#unit === "bytes" ? formatBytes(amount) : `${formatCount(Math.round(amount))} ${this.#unit}`;
  }
}
