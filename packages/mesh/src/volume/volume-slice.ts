import type { Axis, Chunk, ChunkShape, Position } from "@orthant/core";
import { floorDivide, floorModulo } from "@orthant/core/lattice";
import type { ChunkCut, VolumePoint } from "./volume.ts";

/** The axes of a world that are the three of volumes, at one coordinate of the fourth. */
export interface VolumeSlice {
  readonly right: Axis;
  readonly up: Axis;
  readonly back: Axis;
  readonly hidden: Axis;
  /** The voxel coordinate on the hidden axis. */
  readonly at: number;
}

/** The axes of worlds of two and three dimensions. */
export const XYZ: VolumeSlice = { right: 0, up: 1, back: 2, hidden: 3, at: 0 };

/** Returns the voxels of a chunk on the axes of a slice. */
export function chunkSizeIn({ extents }: ChunkShape, { right, up, back }: VolumeSlice): VolumePoint {
  return [extents[right], extents[up], extents[back]];
}

/** Returns the position of a chunk from its place in a slice, in chunks. */
export function chunkInSlice(
  { extents }: ChunkShape,
  slice: VolumeSlice,
  [right, up, back]: VolumePoint,
): Position {
  const position: [number, number, number, number] = [0, 0, 0, 0];
  position[slice.right] = right;
  position[slice.up] = up;
  position[slice.back] = back;
  position[slice.hidden] = floorDivide(slice.at, extents[slice.hidden]);
  return position;
}

/** Returns a slice's part of a chunk, with right varying fastest, then up. */
export function cutChunk(chunk: Chunk, shape: ChunkShape, slice: VolumeSlice): ChunkCut {
  const uniform = chunk.uniformBlock;
  if (uniform !== undefined) return uniform;
  const { extents } = shape;
  const { right, up, back, hidden, at } = slice;
  const voxels = chunk.voxels();
  if (extents[hidden] === 1 && right < up && up < back) return voxels;
  const strides = [1, extents[0], extents[0] * extents[1], extents[0] * extents[1] * extents[2]] as const;
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
