import type { Chunk } from "../chunk/chunk.ts";
import type { Box } from "../lattice/box.ts";

/**
 * What the author of a generator writes. Every answer is a pure function of the place: it does not depend on
 * what was asked before, nor on the box that a chunk was asked in. `GeneratedSpace` makes the rest of it.
 */
export interface VoxelSource {
  /**
   * The one chunk that every place of a box holds; `undefined` where they differ, or where it would cost more
   * than some microseconds to be certain.
   */
  repeatedIn(box: Box): Chunk | undefined;

  /** The voxels of one chunk. */
  realize(x: number, y: number, z: number, w: number): Chunk;

  /** A box that holds all chunks of a box that are not air; `undefined` when all are. It may be too large. */
  contentBounds(box: Box): Box | undefined;
}
