import type { Box, ChunkShape } from "@orthant/core";
import { chunksOfVoxels, voxelsOfChunks } from "@orthant/core/lattice";
import { chunkInSlice, type VolumePoint, type VolumeSlice, XYZ } from "@orthant/mesh/volume";

/** A part of a slice that is meshed at once. */
export interface MeshSection {
  /** The chunk with the least coordinates, by its place in the slice. */
  readonly first: VolumePoint;
  /** Chunks on each axis of the slice. */
  readonly chunks: VolumePoint;
  /** The axes that are shown, and where; by default x, y and z. */
  readonly slice?: VolumeSlice;
}

/** Returns the voxels of a section, with the border of one voxel that its mesh needs. An axis that the world lacks has no border. */
export function voxelsWithBorder(shape: ChunkShape, { first, chunks, slice = XYZ }: MeshSection): Box {
  const corner = chunkInSlice(shape, slice, first);
  const end: [number, number, number, number] = [corner[0] + 1, corner[1] + 1, corner[2] + 1, corner[3] + 1];
  for (const [index, axis] of [slice.right, slice.up, slice.back].entries())
    end[axis] = corner[axis] + (chunks[index] as number);
  const { min, max } = voxelsOfChunks(shape, { min: corner, max: end });
  const [low, high]: [[number, number, number, number], [number, number, number, number]] = [
    [...min],
    [...max],
  ];
  for (const axis of [slice.right, slice.up, slice.back])
    if (shape.extents[axis] > 1) {
      low[axis]--;
      high[axis]++;
    }
  low[slice.hidden] = slice.at;
  high[slice.hidden] = slice.at + 1;
  return { min: low, max: high };
}

/** Returns the chunks of voxels and of all that are at most `reach` voxels away, on the axes that the world has. */
export function chunksInReach(shape: ChunkShape, { min, max }: Box, reach: number): Box {
  const by = (axis: 0 | 1 | 2 | 3): number => (shape.extents[axis] > 1 ? reach : 0);
  return chunksOfVoxels(shape, {
    min: [min[0] - by(0), min[1] - by(1), min[2] - by(2), min[3] - by(3)],
    max: [max[0] + by(0), max[1] + by(1), max[2] + by(2), max[3] + by(3)],
  });
}
