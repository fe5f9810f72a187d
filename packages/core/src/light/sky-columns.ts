import { I32_MAX } from "../bytes/integers.ts";
import type { Chunk } from "../chunk/chunk.ts";
import { floorDivide, type Position } from "../lattice/position.ts";
import { PositionMap } from "../lattice/position-map.ts";
import type { KindRows } from "./kind-rows.ts";
import { LIGHT_MAX, type LightRules, SKY_DEPTH_VOXELS } from "./light-rules.ts";
import type { LitWorld } from "./lit-world.ts";

/** Columns of voxels through a chunk: for each z and w a row of bits along x, in words of 32. Shared, never changed. */
export type ColumnBits = Int32Array;

/** Chunks whose columns are remembered. */
const CHUNKS_MAX = 16_384;

/**
 * Which columns of voxels are open to the sky: nothing in them and above them has an opacity. Remembers what it found
 * until {@link forget}.
 */
export class SkyColumns {
  /** Columns of which all are open, and none is. */
  readonly all: ColumnBits;
  readonly none: ColumnBits;
  /** The lowest chunks that can be open. */
  readonly lowest: number;
  readonly #rules: LightRules;
  readonly #world: LitWorld;
  readonly #rows: KindRows;
  /** The lowest chunks above everything that generators make. */
  readonly #top: number;
  readonly #known = new PositionMap<ColumnBits>();

  constructor(rules: LightRules, world: LitWorld, rows: KindRows) {
    const { extents } = world.shape;
    this.#rules = rules;
    this.#world = world;
    this.#rows = rows;
    this.none = new Int32Array(rows.words * extents[2] * extents[3]);
    this.all = this.none.slice();
    for (let x = 0; x < extents[0]; x++)
      for (let row = x >> 5; row < this.all.length; row += rows.words)
        this.all[row] = (this.all[row] as number) | (1 << (x & 31));
    this.#top = floorDivide((world.skyAbove ?? 0) - 1, extents[1]) + 1;
    this.lowest = floorDivide((world.skyAbove ?? 0) - SKY_DEPTH_VOXELS - 1, extents[1]) + 1;
  }

  /** Forgets all columns, because something changed. */
  forget(): void {
    if (this.#known.size > 0) this.#known.clear();
  }

  /** Returns the columns that are open from the underside of a chunk up; `undefined` while that is not known. */
  openFrom(x: number, y: number, z: number, w: number): ColumnBits | undefined {
    if (this.#world.skyAbove === undefined || y < this.lowest) return this.none;
    const known = this.#known.get(x, y, z, w);
    if (known !== undefined) return known;
    // From below, since one solid chunk ends the search.
    const passed: ColumnBits[] = [];
    let above: ColumnBits | undefined;
    for (let at = y; above === undefined; at++) {
      above = at > y ? this.#known.get(x, at, z, w) : undefined;
      if (above === undefined && (at >= this.#top || at > I32_MAX)) above = this.#openAboveTop(x, at, z, w);
      else if (above === undefined) {
        const chunk = this.#world.chunkAbove(x, at, z, w);
        if (chunk === undefined) return undefined;
        const columns = this.#through(chunk);
        if (columns === this.none) above = this.none;
        else passed.push(columns);
      }
      if (above === undefined && at >= this.#top) return undefined;
    }
    for (let at = passed.length - 1; at >= 0; at--) {
      above = this.#and(passed[at] as ColumnBits, above);
      this.#remember(x, y + at, z, w, above);
    }
    if (passed.length === 0) this.#remember(x, y, z, w, above);
    return above;
  }

  /** Whether the column of a voxel of a chunk is among some of that chunk. */
  has(columns: ColumnBits, [x, , z, w]: Position): boolean {
    const depth = this.#world.shape.extents[2];
    const word = columns[(z + depth * w) * this.#rows.words + (x >> 5)] as number;
    return ((word >>> (x & 31)) & 1) !== 0;
  }

  #remember(x: number, y: number, z: number, w: number, columns: ColumnBits): void {
    if (this.#known.size >= CHUNKS_MAX) this.#known.clear();
    this.#known.set(x, y, z, w, columns);
  }

  #openAboveTop(x: number, y: number, z: number, w: number): ColumnBits | undefined {
    const edited = y > I32_MAX ? [] : this.#world.editedAbove(x, y, z, w);
    if (edited === undefined) return undefined;
    let open = this.all;
    for (const chunk of edited) {
      open = this.#and(open, this.#through(chunk));
      if (open === this.none) break;
    }
    return open;
  }

  #and(a: ColumnBits, b: ColumnBits): ColumnBits {
    if (a === this.all || b === this.none) return b;
    if (b === this.all || a === this.none) return a;
    const both = a.map((word, index) => word & (b[index] as number));
    return both.every((word) => word === 0) ? this.none : both;
  }

  /** Returns the columns in which no voxel of a chunk has an opacity. */
  #through(chunk: Chunk): ColumnBits {
    const uniform = chunk.uniformBlock;
    if (uniform !== undefined) return isClear(this.#rules.kinds[uniform] as number) ? this.all : this.none;
    const { words } = this.#rows;
    const [, height] = this.#world.shape.extents;
    const clear = this.#rows.of(chunk).filter(({ kind }) => isClear(kind));
    const open = this.all.slice();
    for (let layer = 0; layer < open.length; layer += words)
      for (let word = 0; word < words; word++) {
        let columns = open[layer + word] as number;
        for (let y = 0; y < height && columns !== 0; y++) {
          let bits = 0;
          for (const rows of clear) bits |= rows.bits[layer * height + y * words + word] as number;
          columns &= bits;
        }
        open[layer + word] = columns;
      }
    return open.every((word) => word === 0) ? this.none : open;
  }
}

function isClear(kind: number): boolean {
  return (kind & LIGHT_MAX) === 0;
}
