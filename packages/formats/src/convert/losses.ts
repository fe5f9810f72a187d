/** Something that could not be converted. */
export interface ConversionLoss {
  /** Its kind, for messages: `clocks of regions`. */
  readonly what: string;
  readonly count: number;
  /** Its replacement, or its first occurrence. */
  readonly remark: string;
}

/** Result of a conversion. */
export interface ConversionReport {
  readonly chunks: number;
  readonly entities: number;
  readonly players: number;
  /** What the other format cannot hold, with counts; empty if everything was converted. */
  readonly losses: readonly ConversionLoss[];
}

/** Counts the losses of a conversion. */
export class ConversionLosses {
  readonly #byWhat = new Map<string, { count: number; remark: string }>();

  /** Notes `count` losses. Keeps the first remark about each kind. */
  add(what: string, remark: string, count = 1): void {
    if (count === 0) return;
    const known = this.#byWhat.get(what);
    if (known === undefined) this.#byWhat.set(what, { count, remark });
    else known.count += count;
  }

  /** Returns all losses, in the order they were first noted. */
  list(): readonly ConversionLoss[] {
    return Array.from(this.#byWhat, ([what, { count, remark }]) => ({ what, count, remark }));
  }
}
