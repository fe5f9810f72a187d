import { requireInteger } from "../bytes/integers.ts";
import { Chunk, requireVolume, uniformChunk } from "./chunk.ts";
import { packHalfBytes } from "./palette-voxels.ts";

/** Values of half a byte. */
const VALUES = 16;

/**
 * Returns the chunk of voxels that are given as four bits each, eight in a word and the first of them lowest. `blocks` has
 * a block for each of the 16 values.
 */
export function chunkFromHalfBytes(words: Uint32Array, blocks: Uint16Array): Chunk {
  requireVolume(words.length * 8);
  requireInteger(blocks.length, VALUES, VALUES, "the length of blocks");
  const voxels = packHalfBytes(words, blocks);
  const { volume, palette } = voxels;
  return palette.length === 1 ? uniformChunk(volume, palette[0] as number) : new Chunk(voxels);
}
