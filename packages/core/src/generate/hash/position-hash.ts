/** Returns a key for {@link hashPosition}. Each purpose has a number, so that their hashes are unrelated. */
export function hashKey(seed: bigint, purpose: number): number {
  const low = Number(seed & 0xffff_ffffn);
  const high = Number((seed >> 32n) & 0xffff_ffffn);
  return hashPosition(Math.imul(purpose, 0x9e37_79b1), low, high, purpose, 0);
}

/** Returns 32 pseudorandom bits that depend only on key and position. Coordinates count modulo 2^32. */
export function hashPosition(key: number, x: number, y: number, z: number, w: number): number {
  let mixed = Math.imul(key ^ x, 0x85eb_ca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 15) ^ y, 0xc2b2_ae35);
  mixed = Math.imul(mixed ^ (mixed >>> 13) ^ z, 0x27d4_eb2f);
  mixed = Math.imul(mixed ^ (mixed >>> 16) ^ w, 0x9e37_79b1);
  return finish(mixed);
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
