import { PositionMap } from "../../lattice/position-map.ts";

/** Memoizes a pure function of a position, and forgets all results when there are too many. */
export class PositionMemo<Value> {
  readonly #results = new PositionMap<Value>();
  readonly #compute: (x: number, y: number, z: number, w: number) => Value;
  readonly #entriesMax: number;

  constructor(entriesMax: number, compute: (x: number, y: number, z: number, w: number) => Value) {
    this.#compute = compute;
    this.#entriesMax = entriesMax;
  }

  /** Returns the result for a position. Results outside the 32-bit lattice are computed each time. */
  at(x: number, y: number, z: number, w: number): Value {
    if ((x | 0) !== x || (y | 0) !== y || (z | 0) !== z || (w | 0) !== w) return this.#compute(x, y, z, w);
    const known = this.#results.get(x, y, z, w);
    if (known !== undefined) return known;
    const value = this.#compute(x, y, z, w);
    if (this.#results.size >= this.#entriesMax) this.#results.clear();
    this.#results.set(x, y, z, w, value);
    return value;
  }
}
