/** Something that could not carry over. */
export interface ConversionLoss {
  /** What it is, in words: `clocks of regions`. */
  readonly what: string;
  readonly count: number;
  /** What takes its place, or where it was first. */
  readonly remark: string;
}

/** What became of a conversion. */
export interface ConversionReport {
  readonly chunks: number;
  readonly entities: number;
  readonly players: number;
  /** What the other format has no room for, each with how often; none when all of it carried over. */
  readonly losses: readonly ConversionLoss[];
}

/** Counts what a conversion leaves behind. */
export class ConversionLosses {
  readonly #byWhat = new Map<string, { count: number; remark: string }>();

  /** Notes that something is lost, `count` times; the first remark about a kind of thing stays. */
  add(what: string, remark: string, count = 1): void {
    if (count === 0) return;
    const known = this.#byWhat.get(what);
    if (known === undefined) this.#byWhat.set(what, { count, remark });
    else known.count += count;
  }

  /** All of it, in the order in which it was noted first. */
  list(): readonly ConversionLoss[] {
    return Array.from(this.#byWhat, ([what, { count, remark }]) => ({ what, count, remark }));
  }
}
