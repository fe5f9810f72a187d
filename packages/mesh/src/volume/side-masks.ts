/** Cells of a side along each edge: sixteenths of a voxel. */
const CELLS = 16;
/** Words of a mask: 256 bits. */
const WORDS = 8;
/** Height of the surface of a liquid. */
const SURFACE_CELLS = 14;

/** No cell of a side. */
export const EMPTY_SIDE = 0;
/** All cells of a side. */
export const FULL_SIDE = 1;

/** The part of a side that something covers: from its least to its greatest coordinate on both axes, in sixteenths. */
export interface SideRectangle {
  readonly low: readonly [number, number];
  readonly high: readonly [number, number];
}

/** Sets of the 16 x 16 cells of a voxel's side, by number; equal sets have one number. */
export class SideMasks {
  readonly #masks: Uint32Array[] = [];
  readonly #ids = new Map<string, number>();
  readonly #belowOnX: number;
  readonly #belowOnZ: number;

  constructor() {
    this.#idOf(new Uint32Array(WORDS));
    this.#idOf(new Uint32Array(WORDS).fill(0xff_ff_ff_ff));
    this.#belowOnX = this.union([{ low: [0, 0], high: [SURFACE_CELLS, CELLS] }], "whole");
    this.#belowOnZ = this.union([{ low: [0, 0], high: [CELLS, SURFACE_CELLS] }], "whole");
  }

  /** Returns the number of the cells that rectangles touch, or only of those that lie in one as a whole. */
  union(rectangles: readonly SideRectangle[], touched: "touched" | "whole"): number {
    const mask = new Uint32Array(WORDS);
    const [first, last] = touched === "touched" ? [Math.floor, Math.ceil] : [Math.ceil, Math.floor];
    for (const { low, high } of rectangles) {
      const [fromA, toA] = [Math.max(0, first(low[0])), Math.min(CELLS, last(high[0]))];
      const [fromB, toB] = [Math.max(0, first(low[1])), Math.min(CELLS, last(high[1]))];
      for (let b = fromB; b < toB; b++)
        for (let a = fromA; a < toA; a++) {
          const bit = a + b * CELLS;
          mask[bit >> 5] = (mask[bit >> 5] as number) | (1 << (bit & 31));
        }
    }
    return this.#idOf(mask);
  }

  /** Returns the number of the cells below the surface of a liquid: all of them below it and above it. */
  belowSurface(side: number): number {
    return side >> 1 === 1 ? FULL_SIDE : side >> 1 === 0 ? this.#belowOnX : this.#belowOnZ;
  }

  /** Whether all cells of one set are in another. */
  contains(cover: number, part: number): boolean {
    if (cover === FULL_SIDE || part === EMPTY_SIDE) return true;
    const all = this.#masks[cover] as Uint32Array;
    const some = this.#masks[part] as Uint32Array;
    for (let word = 0; word < WORDS; word++) {
      if (((some[word] as number) & ~(all[word] as number)) !== 0) return false;
    }
    return true;
  }

  #idOf(mask: Uint32Array): number {
    const key = String(mask);
    const known = this.#ids.get(key);
    if (known !== undefined) return known;
    this.#ids.set(key, this.#masks.length);
    this.#masks.push(mask);
    return this.#masks.length - 1;
  }
}
