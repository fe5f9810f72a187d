import { requireInteger } from "../bytes/integers.ts";
import { Chunk, requireVolume, uniformChunk } from "./chunk.ts";
import { packHalfBytes } from "./palette-voxels.ts";

/** Values of half a byte. */
const VALUES = 16;

/**
 * Returns the chunk of voxels that are given as four bits each, two in a byte and the first of them in its low half; their
 * number is a multiple of eight. `blocks` has a block for each of the 16 values.
 */
export function chunkFromHalfBytes(pairs: Uint8Array, blocks: Uint16Array): Chunk {
  requireVolume(pairs.length * 2);
  requireInteger(pairs.length % 4, 0, 0, "the rest of the length of pairs after a division by 4");
  requireInteger(blocks.length, VALUES, VALUES, "the length of blocks");
  const voxels = packHalfBytes(pairs, blocks);
  const { volume, palette } = voxels;
  return palette.length === 1 ? uniformChunk(volume, palette[0] as number) : new Chunk(voxels);
}
