import { type DrawnBlocks, MODEL, SOLID_CUBE } from "./drawn-blocks.ts";
import { SIDE_FRAMES, type SideFrame } from "./quads.ts";
import type { Volume } from "./volume.ts";

/** Light from a level of 0 to 15 as a byte. */
const BYTES_PER_LEVEL = 17;

/** The light of a volume at the corners of faces: the mean of the four voxels around a corner that are not opaque. */
export class CornerLight {
  readonly #blocks: DrawnBlocks;
  readonly #light: Uint8Array;
  readonly #voxels: Uint16Array;
  readonly #strides: readonly [number, number, number];

  /** `light` has a byte for each voxel of the volume and its border: 16 times the light of the sky, plus that of blocks. */
  constructor(blocks: DrawnBlocks, { size, blocks: voxels }: Volume, light: Uint8Array) {
    this.#blocks = blocks;
    this.#light = light;
    this.#voxels = voxels;
    this.#strides = [1, size[0] + 2, (size[0] + 2) * (size[1] + 2)];
  }

  /** Returns the light at a corner of a cube's face: that of the sky, then that of blocks in the upper byte, from 0 to 255. */
  ofCorner(cell: number, side: number, corner: number): number {
    const { right, rightSign, up, upSign } = SIDE_FRAMES[side] as SideFrame;
    const across = this.#strides[right] * (corner === 1 || corner === 2 ? rightSign : -rightSign);
    const upwards = this.#strides[up] * (corner >= 2 ? upSign : -upSign);
    const before = this.#before(cell, side);
    let [sky, block, count] = [0, 0, 0];
    for (let index = 0; index < 4; index++) {
      const at = before + ((index & 1) !== 0 ? across : 0) + ((index & 2) !== 0 ? upwards : 0);
      const light = this.#light[at] as number;
      const kind = this.#blocks.classes[this.#voxels[at] as number] as number;
      // Light does not get into most models: what is dark there says nothing about the space around them.
      if ((kind & SOLID_CUBE) !== 0 || ((kind & MODEL) !== 0 && light === 0)) continue;
      sky += light >> 4;
      block += light & 15;
      count++;
    }
    if (count === 0) return this.ofModel(cell, side);
    const scale = BYTES_PER_LEVEL / count;
    return Math.round(sky * scale) | (Math.round(block * scale) << 8);
  }

  /** Returns the light of a model's face: that of its voxel or the one before it, whichever is brighter. */
  ofModel(cell: number, side: number): number {
    const own = this.#light[cell] as number;
    const before = this.#light[this.#before(cell, side)] as number;
    const sky = Math.max(own >> 4, before >> 4);
    const block = Math.max(own & 15, before & 15);
    return (sky * BYTES_PER_LEVEL) | ((block * BYTES_PER_LEVEL) << 8);
  }

  /** Returns the light of a cube's face if it is the same at all corners, else -1. */
  ofEvenFace(cell: number, side: number): number {
    const light = this.ofCorner(cell, side, 0);
    for (let corner = 1; corner < 4; corner++) if (this.ofCorner(cell, side, corner) !== light) return -1;
    return light;
  }

  #before(cell: number, side: number): number {
    return cell + (side % 2 === 0 ? 1 : -1) * (this.#strides[side >> 1] as number);
  }
}
