import type { ConversionLoss } from "@orthant/formats";

/** Counts what an export loses. */
export class ExportLosses {
  readonly #byWhat = new Map<string, { count: number; remark: string }>();

  readonly #seen = new Set<string>();

  /** Notes `count` losses. Keeps the first remark about each kind. */
  add(what: string, remark: string, count = 1): void {
    if (count === 0) return;
    const known = this.#byWhat.get(what);
    if (known === undefined) this.#byWhat.set(what, { count, remark });
    else known.count += count;
  }

  /** Like {@link add}, but the same thing counts once. */
  addOnce(what: string, thing: string, remark: string): void {
    const key = `${what}\n${thing}`;
    if (this.#seen.has(key)) return;
    this.#seen.add(key);
    this.add(what, remark);
  }

  /** Returns all losses, in the order they were first noted. */
  list(): readonly ConversionLoss[] {
    return Array.from(this.#byWhat, ([what, { count, remark }]) => ({ what, count, remark }));
  }
}
