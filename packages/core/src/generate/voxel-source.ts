import type { Chunk } from "../chunk/chunk.ts";
import type { Box } from "../lattice/box.ts";

/**
 * The part of a generator that its author writes; `GeneratedSpace` does the rest. Every result is a pure
 * function of the position: it depends neither on earlier queries nor on the box in which a chunk is queried.
 */
export interface VoxelSource {
  /**
   * Returns the chunk that every position of a box holds; `undefined` where they differ, or where being
   * certain would take more than a few microseconds.
   */
  repeatedIn(box: Box): Chunk | undefined;

  /** Returns the voxels of one chunk. */
  realize(x: number, y: number, z: number, w: number): Chunk;

  /** Returns a box around all chunks of `box` that are not air, possibly too large, or `undefined`. */
  contentBounds(box: Box): Box | undefined;
}
