import type { Chunk } from "../chunk/chunk.ts";
import type { ChunkShape } from "../lattice/chunk-shape.ts";

/** The part of a world that decides about its light. */
export interface LitWorld {
  readonly shape: ChunkShape;
  /** From this height up generators make only air; `undefined` for a world without a sky. */
  readonly skyAbove: number | undefined;

  /** Returns the voxels of a chunk; `undefined` while they are not in memory, and so the light around them is not known. */
  chunkAt(x: number, y: number, z: number, w: number): Chunk | undefined;

  /** The same for a chunk that only matters because it may keep the sky from those below it. */
  chunkAbove(x: number, y: number, z: number, w: number): Chunk | undefined;

  /** Returns the edited chunks from a position up, in any order; `undefined` while that is not known. */
  editedAbove(x: number, y: number, z: number, w: number): Iterable<Chunk> | undefined;
}
