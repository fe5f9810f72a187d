import { type Chunk, type ChunkShape, floorModulo } from "@orthant/core";
import type { Slice } from "../slice/slice.ts";

/** A slice's part of a chunk: a single block, or one per voxel, with right varying fastest, then up. */
export type ChunkCut = number | Uint16Array;

/** Returns the cut of a chunk. */
export function cutChunk(chunk: Chunk, shape: ChunkShape, slice: Slice): ChunkCut {
  const uniform = chunk.uniformBlock;
  if (uniform !== undefined) return uniform;
  const { extents } = shape;
  const strides = [1, extents[0], extents[0] * extents[1], extents[0] * extents[1] * extents[2]] as const;
  const { right, up, back, hidden, at } = slice;
  const voxels = chunk.voxels();
  const cut = new Uint16Array(extents[right] * extents[up] * extents[back]);
  let index = 0;
  let first = 0;
  let differs = false;
  const depth = floorModulo(at, extents[hidden]) * strides[hidden];
  for (let b = 0; b < extents[back]; b++)
    for (let u = 0; u < extents[up]; u++) {
      let from = depth + b * strides[back] + u * strides[up];
      for (let r = 0; r < extents[right]; r++, from += strides[right]) {
        const block = voxels[from] as number;
        if (index === 0) first = block;
        else if (block !== first) differs = true;
        cut[index++] = block;
      }
    }
  return differs ? cut : first;
}
