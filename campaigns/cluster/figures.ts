/** What a run measured. */
export class ClusterFigures {
  readonly #takeOversMs: number[] = [];
  readonly #agreementsMs: number[] = [];
  /** The longest wait of an edit each time that something happened, by what it was. */
  readonly #longestMs = new Map<string, number[]>();
  #happening: number[] = [];

  /** From now on edits wait because of this. */
  begin(what: string): void {
    const times = this.#longestMs.get(what) ?? [];
    this.#longestMs.set(what, times);
    this.#happening = times;
    times.push(0);
  }

  /** An edit has its verdict, so long after it was made. */
  noteWait(ms: number): void {
    const last = this.#happening.length - 1;
    this.#happening[last] = Math.max(this.#happening[last] ?? 0, ms);
  }

  /** The longest wait of an edit since something began. */
  get longestWaitMs(): number {
    return this.#happening.at(-1) ?? 0;
  }

  /** A shard has an owner again, so long after its own was lost. */
  noteTakeOver(ms: number): void {
    this.#takeOversMs.push(ms);
  }

  /** Every edit has its verdict and everybody sees the same, so long after all was whole and nobody built any more. */
  noteAgreement(ms: number): void {
    this.#agreementsMs.push(ms);
  }

  /** How long 99 of 100 shards had no owner at most; `undefined` when none was taken over. */
  get takeOverP99Ms(): number | undefined {
    return this.#takeOversMs.length === 0 ? undefined : quantile(this.#takeOversMs, 0.99);
  }

  /** What it came to, a line for each figure. */
  lines(): readonly string[] {
    const waits = Array.from(
      this.#longestMs,
      ([what, times]) => `longest wait for an edit, ${what}: ${told(times)}`,
    );
    return [
      `shards taken over: ${told(this.#takeOversMs)}`,
      ...waits,
      `until all agreed again: ${told(this.#agreementsMs)}`,
    ];
  }
}

function told(times: readonly number[]): string {
  if (times.length === 0) return "never";
  const [p50, p99, longest] = [0.5, 0.99, 1].map((share) => Math.round(quantile(times, share)));
  return `p50 ${p50} ms, p99 ${p99} ms, maximum ${longest} ms, of ${times.length}`;
}

/** The value that this share of all does not exceed. */
function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((one, other) => one - other);
  return sorted[Math.ceil(sorted.length * share) - 1] ?? 0;
}
