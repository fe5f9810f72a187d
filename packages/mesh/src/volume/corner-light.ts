import { type DrawnBlocks, MODEL } from "./drawn-blocks.ts";
import type { Volume } from "./volume.ts";
import type { VoxelRows } from "./voxel-rows.ts";

/** The light of a voxel that is open to the sky, and that of two of them. */
const SKY = 0xf0;
const SKY_PAIR = 0xf0_f0;
/** A voxel as a number that can be added up: one of it, its light of the sky and that of blocks, six bits each. */
const ONE_VOXEL = 1 << 12;
const SKY_SHIFT = 6;
const LEVELS_MASK = 0x3f;
const VOXELS_AT_CORNER = 4;
const LIGHT_MAX = 15;

/** The mean of levels, rounded, by their number in the upper bits and their sum in six bits. */
const MEANS = Uint8Array.from({ length: (VOXELS_AT_CORNER + 1) << SKY_SHIFT }, (_, index) => {
  const count = index >> SKY_SHIFT;
  return count === 0 ? 0 : Math.min(LIGHT_MAX, Math.round((index & LEVELS_MASK) / count));
});

/**
 * Light at the corners of faces. At the corner of a cube's face, it is the mean of the four voxels around the corner that
 * are not opaque; behind an edge between two opaque ones light does not count. The face of a model has the light of its
 * voxel or of the one before it.
 */
export class CornerLight {
  /** Rows of voxels as in {@link VoxelRows}: those that are opaque or have all the light of the sky and none of blocks, */
  sky: Int32Array = new Int32Array(0);
  /** and those that are opaque or dark. */
  dark: Int32Array = new Int32Array(0);
  readonly #blocks: DrawnBlocks;
  #light: Uint8Array = new Uint8Array(0);
  #voxels: Uint16Array = new Uint16Array(0);
  #hasModels = false;

  constructor(blocks: DrawnBlocks) {
    this.#blocks = blocks;
  }

  /** Reads the light of a volume, whose voxels are in `rows`. */
  read({ size: [width, height, depth], blocks }: Volume, light: Uint8Array, rows: VoxelRows): void {
    this.#light = light;
    this.#voxels = blocks;
    this.#hasModels = (rows.classes & MODEL) !== 0;
    const slabRows = (height + 2) * (depth + 2);
    if (this.sky.length < slabRows * rows.slabs) {
      this.sky = new Int32Array(slabRows * rows.slabs);
      this.dark = new Int32Array(slabRows * rows.slabs);
    }
    const hasPairs = width % 2 === 0 && light.byteOffset % 2 === 0;
    const pairs = hasPairs ? new Uint16Array(light.buffer, light.byteOffset, light.length >> 1) : undefined;
    for (let slab = 0; slab < rows.slabs; slab++) {
      const from = slab * rows.slabVoxels;
      const length = Math.min(rows.slabVoxels, width - from) + 2;
      const full = -1 >>> (32 - length);
      for (let row = 0; row < slabRows; row++) {
        const at = from + row * (width + 2);
        const inSlab = row + slab * slabRows;
        const solid = rows.solid[inSlab] as number;
        // In a row that is opaque, no face looks at the light.
        if ((solid ^ full) === 0) this.#setRow(inSlab, solid, solid);
        else if (pairs === undefined) this.#readRow(inSlab, solid, at, length);
        else this.#readPairs(inSlab, solid, pairs, at >> 1, length >> 1);
      }
    }
  }

  #setRow(row: number, sky: number, dark: number): void {
    this.sky[row] = sky;
    this.dark[row] = dark;
  }

  #readRow(row: number, solid: number, at: number, length: number): void {
    let sky = solid;
    let dark = solid;
    for (let index = 0; index < length; index++) {
      const light = this.#light[at + index];
      if (light === SKY) sky |= 1 << index;
      else if (light === 0) dark |= 1 << index;
    }
    this.#setRow(row, sky, dark);
  }

  #readPairs(row: number, solid: number, pairs: Uint16Array, at: number, length: number): void {
    let sky = solid;
    let dark = solid;
    for (let index = 0; index < length; index++) {
      const pair = pairs[at + index] as number;
      if (pair === SKY_PAIR) sky |= 3 << (index << 1);
      else if (pair === 0) dark |= 3 << (index << 1);
      else {
        // Typed arrays of numbers are little-endian on every platform that engines of JavaScript run on.
        const [first, second] = [pair & 0xff, pair >>> 8];
        if (first === SKY) sky |= 1 << (index << 1);
        else if (first === 0) dark |= 1 << (index << 1);
        if (second === SKY) sky |= 2 << (index << 1);
        else if (second === 0) dark |= 2 << (index << 1);
      }
    }
    this.#setRow(row, sky, dark);
  }

  /**
   * Returns the light at the corners of a cube's face, a byte each, the lower left one in the lowest byte. `before` is the
   * voxel before the face, `right` and `up` lead to the next voxels as seen from outside, and `opaque` has a bit for each
   * voxel that is opaque: to the left, right, below, above, left below, right below, right above, left above, and the one
   * before the face.
   */
  ofFace(cell: number, before: number, right: number, up: number, opaque: number): number {
    const hidden = this.#hasModels ? this.#withDarkModels(opaque, before, right, up) : opaque;
    const otherwise = this.#ofVoxels(cell, before);
    const own = this.#partOf(before, hidden >> 8);
    const left = this.#partOf(before - right, hidden);
    const rightwards = this.#partOf(before + right, hidden >> 1);
    const below = this.#partOf(before - up, hidden >> 2);
    const above = this.#partOf(before + up, hidden >> 3);
    // Light behind an edge is that of another room.
    const leftBelow = (left | below) === 0 ? 0 : this.#partOf(before - right - up, hidden >> 4);
    const rightBelow = (rightwards | below) === 0 ? 0 : this.#partOf(before + right - up, hidden >> 5);
    const rightAbove = (rightwards | above) === 0 ? 0 : this.#partOf(before + right + up, hidden >> 6);
    const leftAbove = (left | above) === 0 ? 0 : this.#partOf(before - right + up, hidden >> 7);
    return (
      meanOf(own + left + below + leftBelow, otherwise) |
      (meanOf(own + rightwards + below + rightBelow, otherwise) << 8) |
      (meanOf(own + rightwards + above + rightAbove, otherwise) << 16) |
      (meanOf(own + left + above + leftAbove, otherwise) << 24)
    );
  }

  /** Returns the light of a model's face, at all corners: that of its voxel or the one before it, whichever is brighter. */
  ofModel(cell: number, before: number): number {
    const light = this.#ofVoxels(cell, before);
    return light | (light << 8) | (light << 16) | (light << 24);
  }

  #ofVoxels(cell: number, before: number): number {
    const own = this.#light[cell] as number;
    const other = this.#light[before] as number;
    return Math.max(own & 0xf0, other & 0xf0) | Math.max(own & 15, other & 15);
  }

  /** Returns what a voxel adds to a corner: nothing, if the lowest bit of `hidden` is set. */
  #partOf(voxel: number, hidden: number): number {
    if ((hidden & 1) !== 0) return 0;
    const light = this.#light[voxel] as number;
    return ONE_VOXEL | ((light >> 4) << SKY_SHIFT) | (light & 15);
  }

  /** Light does not get into most models: what is dark there says nothing about the space around them. */
  #withDarkModels(opaque: number, before: number, right: number, up: number): number {
    let hidden = opaque;
    const around = [-right, right, -up, up, -right - up, right - up, right + up, up - right, 0];
    for (let bit = 0; bit < around.length; bit++) {
      const at = before + (around[bit] as number);
      if (this.#light[at] !== 0) continue;
      if (((this.#blocks.classes[this.#voxels[at] as number] as number) & MODEL) !== 0) hidden |= 1 << bit;
    }
    return hidden;
  }
}

function meanOf(parts: number, otherwise: number): number {
  if (parts === 0) return otherwise;
  const count = (parts >> (2 * SKY_SHIFT)) << SKY_SHIFT;
  const sky = MEANS[count | ((parts >> SKY_SHIFT) & LEVELS_MASK)] as number;
  return (sky << 4) | (MEANS[count | (parts & LEVELS_MASK)] as number);
}
