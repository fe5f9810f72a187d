import { wrongArgument } from "@orthant/core/arguments";
import {
  BLENDED_CUBE,
  CUTOUT_CUBE,
  type DrawnBlocks,
  LIQUID,
  MODEL,
  SOLID_CUBE,
  UNKNOWN_CLASS,
} from "./drawn-blocks.ts";
import { VOLUME_EDGE_MAX } from "./quads.ts";
import type { Volume } from "./volume.ts";

/** Voxels of a row in one word: two bits are for the voxels around them. */
const SLAB_VOXELS_MAX = 30;

/**
 * What a volume has, as bits. Wide volumes are cut into slabs of at most 30 voxels along x. A word is a row of a slab, with
 * a bit for each voxel and for the two around them. It has the index `y + (height + 2) * (z + (depth + 2) * slab)`,
 * counted with the border.
 */
export class VoxelRows {
  /** Opaque cubes. */
  solid: Int32Array = new Int32Array(0);
  cutout: Int32Array = new Int32Array(0);
  blended: Int32Array = new Int32Array(0);
  models: Int32Array = new Int32Array(0);
  /** Liquids below something else. */
  sunken: Int32Array = new Int32Array(0);
  /** The classes of all voxels and of those around them, or-ed. */
  classes = 0;
  slabs = 0;
  slabVoxels = 0;
  readonly #blocks: DrawnBlocks;

  constructor(blocks: DrawnBlocks) {
    this.#blocks = blocks;
  }

  /** Reads a volume. Returns false when it has no surface. */
  read({ size, blocks }: Volume): boolean {
    const [width, height, depth] = size;
    if (Math.max(width, height, depth) > VOLUME_EDGE_MAX) {
      throw wrongArgument("volume.size", size, `a volume has at most ${VOLUME_EDGE_MAX} voxels on each axis`);
    }
    this.slabs = Math.ceil(width / SLAB_VOXELS_MAX);
    this.slabVoxels = 2 * Math.ceil(width / this.slabs / 2);
    const slabRows = (height + 2) * (depth + 2);
    this.#clear(slabRows * this.slabs);
    const pairs = width % 2 === 0 && blocks.byteOffset % 4 === 0 ? pairsOf(blocks) : undefined;
    let any = 0;
    let isSolid = true;
    for (let slab = 0; slab < this.slabs; slab++) {
      const from = slab * this.slabVoxels;
      const length = Math.min(this.slabVoxels, width - from) + 2;
      const full = -1 >>> (32 - length);
      for (let row = 0; row < slabRows; row++) {
        const at = from + row * (width + 2);
        const found =
          pairs === undefined
            ? this.#readRow(row + slab * slabRows, blocks, at, length)
            : this.#readPairs(row + slab * slabRows, blocks, pairs, at, length);
        any |= found;
        if (((this.solid[row + slab * slabRows] as number) ^ full) !== 0) isSolid = false;
      }
    }
    this.classes = any;
    if (any === 0 || isSolid) return false;
    if ((any & LIQUID) !== 0) this.#findSunken(size, blocks);
    return true;
  }

  /** Returns the classes of the row's voxels, or-ed. */
  #readRow(row: number, voxels: Uint16Array, at: number, length: number): number {
    const { classes } = this.#blocks;
    let any = 0;
    let solid = 0;
    for (let index = 0; index < length; index++) {
      const kind = classes[voxels[at + index] as number] as number;
      any |= kind;
      solid |= (kind & SOLID_CUBE) << index;
    }
    if ((any & UNKNOWN_CLASS) !== 0) {
      for (let index = 0; index < length; index++) this.#blocks.meet(voxels[at + index] as number);
      return this.#readRow(row, voxels, at, length);
    }
    this.solid[row] = solid;
    if ((any & ~SOLID_CUBE) !== 0) this.#readOthers(row, voxels, at, length);
    return any;
  }

  /** Does the same for a row of an even number of voxels: two at a time, because most are like those before them. */
  #readPairs(row: number, voxels: Uint16Array, pairs: Int32Array, at: number, length: number): number {
    const { classes } = this.#blocks;
    const from = at >> 1;
    const count = length >> 1;
    let last = 0;
    // Two voxels of air.
    let bits = 0;
    let any = 0;
    let solid = 0;
    for (let index = 0; index < count; index++) {
      const pair = pairs[from + index] as number;
      if (pair !== last) {
        last = pair;
        const first = classes[pair & 0xffff] as number;
        const second = classes[pair >>> 16] as number;
        any |= first | second;
        bits = (first & SOLID_CUBE) | ((second & SOLID_CUBE) << 1);
      }
      solid |= bits << (index << 1);
    }
    if ((any & UNKNOWN_CLASS) !== 0) return this.#readRow(row, voxels, at, length);
    this.solid[row] = solid;
    if ((any & ~SOLID_CUBE) !== 0) this.#readOthers(row, voxels, at, length);
    return any;
  }

  #readOthers(row: number, voxels: Uint16Array, at: number, length: number): void {
    const { classes } = this.#blocks;
    let cutout = 0;
    let blended = 0;
    let models = 0;
    let liquids = 0;
    for (let index = 0; index < length; index++) {
      const kind = classes[voxels[at + index] as number] as number;
      const bit = 1 << index;
      if ((kind & CUTOUT_CUBE) !== 0) cutout |= bit;
      if ((kind & BLENDED_CUBE) !== 0) blended |= bit;
      if ((kind & MODEL) !== 0) models |= bit;
      if ((kind & LIQUID) !== 0) liquids |= bit;
    }
    this.cutout[row] = cutout;
    this.blended[row] = blended;
    this.models[row] = models;
    this.sunken[row] = liquids;
  }

  /** Leaves of the liquids those that do not have the same block above. */
  #findSunken([width, height, depth]: readonly [number, number, number], voxels: Uint16Array): void {
    const slabRows = (height + 2) * (depth + 2);
    for (let row = 0; row < slabRows * this.slabs; row++) {
      let liquids = this.sunken[row] as number;
      if (liquids === 0) continue;
      const slab = Math.floor(row / slabRows);
      // A border row has no faces of its own, and the highest one nothing above.
      if (row % (height + 2) > height) continue;
      const at = (row - slab * slabRows) * (width + 2) + slab * this.slabVoxels;
      for (let rest = liquids; rest !== 0; rest &= rest - 1) {
        const index = 31 - Math.clz32(rest & -rest);
        if (voxels[at + index] === voxels[at + index + width + 2]) liquids ^= 1 << index;
      }
      this.sunken[row] = liquids;
    }
  }

  #clear(rows: number): void {
    if (this.solid.length < rows) {
      this.solid = new Int32Array(rows);
      this.cutout = new Int32Array(rows);
      this.blended = new Int32Array(rows);
      this.models = new Int32Array(rows);
      this.sunken = new Int32Array(rows);
    } else if ((this.classes & ~SOLID_CUBE) !== 0) {
      this.cutout.fill(0);
      this.blended.fill(0);
      this.models.fill(0);
      this.sunken.fill(0);
    }
  }
}

function pairsOf({ buffer, byteOffset, length }: Uint16Array): Int32Array {
  return new Int32Array(buffer, byteOffset, length >> 1);
}
