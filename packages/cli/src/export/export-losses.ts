import type { ConversionLoss } from "@orthant/formats";

/** Counts what an export loses. */
export class ExportLosses {
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
