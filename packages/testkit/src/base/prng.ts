/** A seeded random generator (xoshiro128**): the same seed produces the same numbers on every machine. */
export class Prng {
  readonly seed: number;
  readonly #state: Uint32Array;

  constructor(seed: number) {
    this.seed = seed;
    this.#state = new Uint32Array(4);
    // Spreads a small seed over the whole state; all zeros would be a fixed point.
    let mixed = seed >>> 0;
    for (let index = 0; index < 4; index++) {
      mixed = (mixed + 0x9e37_79b9) >>> 0;
      let word = mixed;
      word = Math.imul(word ^ (word >>> 16), 0x21f0_aaad);
      word = Math.imul(word ^ (word >>> 15), 0x735a_2d97);
      this.#state[index] = word ^ (word >>> 15);
    }
  }

  /** Returns any 32-bit value. */
  u32(): number {
    const [a = 0, b = 0, c = 0, d = 0] = this.#state;
    const scrambled = Math.imul(b, 5);
    const result = Math.imul((scrambled << 7) | (scrambled >>> 25), 9) >>> 0;
    const mixed = d ^ b;
    this.#state[0] = a ^ mixed;
    this.#state[1] = b ^ c ^ a;
    this.#state[2] = c ^ a ^ (b << 9);
    this.#state[3] = (mixed << 11) | (mixed >>> 21);
    return result;
  }

  /** Returns a number from 0 up to but excluding 1. */
  fraction(): number {
    return this.u32() / 0x1_0000_0000;
  }

  /** Returns an integer from 0 up to but excluding `bound`. */
  below(bound: number): number {
    return Math.floor(this.fraction() * bound);
  }

  /** Returns an integer from `min` to `max`, both inclusive. */
  between(min: number, max: number): number {
    return min + this.below(max - min + 1);
  }

  /** Returns true with this probability. */
  chance(probability: number): boolean {
    return this.fraction() < probability;
  }

  /** Returns one of the items, of which there must be at least one. */
  pick<Item>(items: readonly [Item, ...Item[]] | readonly Item[]): Item {
    return items[this.below(items.length)] as Item;
  }

  /** Returns random bytes. */
  bytes(length: number): Uint8Array {
    return Uint8Array.from({ length }, () => this.below(256));
  }
}
