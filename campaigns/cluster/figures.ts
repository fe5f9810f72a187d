/** Take-overs without which their slowest is not a measure. */
const TAKE_OVERS_MIN = 20;

/** Measurements of a run. */
export class ClusterFigures {
  readonly #takeOversMs: number[] = [];
  readonly #agreementsMs: number[] = [];
  /** Longest wait of an edit during each fault, by kind of fault. */
  readonly #longestMs = new Map<string, number[]>();
  #happening: number[] = [];

  /** Attributes edit waits to `what` from now on. */
  begin(what: string): void {
    const times = this.#longestMs.get(what) ?? [];
    this.#longestMs.set(what, times);
    this.#happening = times;
    times.push(0);
  }

  /** Records that an edit got its result after `ms`. */
  noteWait(ms: number): void {
    const last = this.#happening.length - 1;
    this.#happening[last] = Math.max(this.#happening[last] ?? 0, ms);
  }

  /** The longest wait of an edit since the current fault began. */
  get longestWaitMs(): number {
    return this.#happening.at(-1) ?? 0;
  }

  /** Records that a shard got a new owner `ms` after it lost the old one. */
  noteTakeOver(ms: number): void {
    this.#takeOversMs.push(ms);
  }

  /** Records that all edits had results and all views agreed, `ms` after the fault and building had ended. */
  noteAgreement(ms: number): void {
    this.#agreementsMs.push(ms);
  }

  /** 99th percentile of the time without an owner; `undefined` if too few shards were taken over to have one. */
  get takeOverP99Ms(): number | undefined {
    return this.#takeOversMs.length < TAKE_OVERS_MIN ? undefined : quantile(this.#takeOversMs, 0.99);
  }

  /** Returns one line per figure. */
  lines(): readonly string[] {
    const waits = Array.from(
      this.#longestMs,
      ([what, times]) => `longest wait for an edit, ${what}: ${summary(times)}`,
    );
    return [
      `shards taken over: ${summary(this.#takeOversMs)}`,
      ...waits,
      `until all agreed again: ${summary(this.#agreementsMs)}`,
    ];
  }
}

function summary(times: readonly number[]): string {
  if (times.length === 0) return "never";
  const [p50, p99, longest] = [0.5, 0.99, 1].map((share) => Math.round(quantile(times, share)));
  return `p50 ${p50} ms, p99 ${p99} ms, maximum ${longest} ms, of ${times.length}`;
}

/** Returns the value that this share of all values does not exceed. */
function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((one, other) => one - other);
  return sorted[Math.ceil(sorted.length * share) - 1] ?? 0;
}
