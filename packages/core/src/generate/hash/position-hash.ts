import { wrongArgument } from "../../error/orthant-error.ts";
import { PositionMap } from "../../lattice/position-map.ts";

/** Returns a key for {@link hashPosition}. Each purpose has a number, so that their hashes are unrelated. */
export function hashKey(seed: bigint, purpose: number): number {
  const low = Number(seed & 0xffff_ffffn);
  const high = Number((seed >> 32n) & 0xffff_ffffn);
  return hashPosition(Math.imul(purpose, 0x9e37_79b1), low, high, purpose, 0);
}

/** Returns 32 pseudorandom bits that depend only on key and position. Coordinates count modulo 2^32. */
export function hashPosition(key: number, x: number, y: number, z: number, w: number): number {
  requireNumbers(key, x, y, z, w);
  let mixed = Math.imul(key ^ x, 0x85eb_ca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 15) ^ y, 0xc2b2_ae35);
  mixed = Math.imul(mixed ^ (mixed >>> 13) ^ z, 0x27d4_eb2f);
  mixed = Math.imul(mixed ^ (mixed >>> 16) ^ w, 0x9e37_79b1);
  return finish(mixed);
}

/** Costs nothing in compiled code, which knows the types. */
function requireNumbers(key: unknown, x: unknown, y: unknown, z: unknown, w: unknown): void {
  if (
    typeof key === "number" &&
    typeof x === "number" &&
    typeof y === "number" &&
    typeof z === "number" &&
    typeof w === "number"
  )
    return;
  const values = Object.entries({ key, x, y, z, w });
  const [name = "key", value] = values.find(([, given]) => typeof given !== "number") ?? [];
  throw wrongArgument(name, value, "it is a number");
}

/** A sequence of pseudorandom numbers derived from one hash. */
export class HashSequence {
  #state: number;

  constructor(hash: number) {
    this.#state = hash | 0;
  }

  /** Returns a number from 0 up to but excluding 1, in steps of 2^-32. */
  fraction(): number {
    this.#state = (this.#state + 0x9e37_79b9) | 0;
    return finish(this.#state) / 0x1_0000_0000;
  }

  /** Returns an integer from 0 up to but excluding `bound`. */
  below(bound: number): number {
    return Math.floor(this.fraction() * bound);
  }

  /** Returns an integer from `min` to `max`, both inclusive. */
  between(min: number, max: number): number {
    return min + this.below(max - min + 1);
  }

  /** Returns true in `percentage` of a hundred cases. */
  percent(percentage: number): boolean {
    return this.fraction() * 100 < percentage;
  }

  /** Returns one of the items, of which there must be at least one. */
  pick<Item>(items: readonly Item[]): Item {
    return items[this.below(items.length)] as Item;
  }
}

function finish(bits: number): number {
  let mixed = Math.imul(bits ^ (bits >>> 16), 0x21f0_aaad);
  mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a_2d97);
  return (mixed ^ (mixed >>> 15)) >>> 0;
}

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
