/** A key for {@link hashPlace}: each purpose has a number of its own, so that no two of them are related. */
export function hashKey(seed: bigint, purpose: number): number {
  const low = Number(seed & 0xffff_ffffn);
  const high = Number((seed >> 32n) & 0xffff_ffffn);
  return hashPlace(Math.imul(purpose, 0x9e37_79b1), low, high, purpose, 0);
}

/** 32 bits that look random and depend on the key and the place only. Coordinates count modulo 2^32. */
export function hashPlace(key: number, x: number, y: number, z: number, w: number): number {
  let mixed = Math.imul(key ^ x, 0x85eb_ca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 15) ^ y, 0xc2b2_ae35);
  mixed = Math.imul(mixed ^ (mixed >>> 13) ^ z, 0x27d4_eb2f);
  mixed = Math.imul(mixed ^ (mixed >>> 16) ^ w, 0x9e37_79b1);
  return finish(mixed);
}

/** Numbers that look random, one after the other, from one hash. */
export class HashSequence {
  #state: number;

  constructor(hash: number) {
    this.#state = hash | 0;
  }

  /** From 0 up to and without 1, in steps of 2^-32. */
  fraction(): number {
    this.#state = (this.#state + 0x9e37_79b9) | 0;
    return finish(this.#state) / 0x1_0000_0000;
  }

  /** An integer from 0 up to and without `bound`. */
  below(bound: number): number {
    return Math.floor(this.fraction() * bound);
  }

  /** An integer from `min` to `max`, both possible. */
  between(min: number, max: number): number {
    return min + this.below(max - min + 1);
  }

  /** True in this many of a hundred cases. */
  percent(percentage: number): boolean {
    return this.fraction() * 100 < percentage;
  }

  /** One of the items, of which there is at least one. */
  pick<Item>(items: readonly Item[]): Item {
    return items[this.below(items.length)] as Item;
  }
}

function finish(bits: number): number {
  let mixed = Math.imul(bits ^ (bits >>> 16), 0x21f0_aaad);
  mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a_2d97);
  return (mixed ^ (mixed >>> 15)) >>> 0;
}
