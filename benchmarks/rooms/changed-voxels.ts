import { type Box, HYPERCUBE_CHUNKS, type Position } from "@orthant/core";
import { chunkOfVoxel, chunksOfVoxels, cubeAt, voxelIndex } from "@orthant/core/lattice";
import type { VoxelPlacement } from "@orthant/core/tree";
import { Prng } from "@orthant/testkit";

/** Edge of the cube in which a crowd edits and voxels have changed before, in voxels from the origin. */
const EDITED_EDGE = 32;

/** The chunks of that cube. */
export const EDITED_CHUNKS_BOX: Box = chunksOfVoxels(HYPERCUBE_CHUNKS, cubeAt([0, 0, 0, 0], EDITED_EDGE));

/** Number of kinds of blocks that edits set, from 1. */
export const EDITED_BLOCKS = 12;

/** Returns any voxel of the cube. */
export function anyEditedVoxel(prng: Prng): Position {
  return [prng.below(EDITED_EDGE), prng.below(EDITED_EDGE), prng.below(EDITED_EDGE), prng.below(EDITED_EDGE)];
}

/** Returns this many changed voxels of the cube, each once, and the same in every process. */
export function changedVoxels(count: number): readonly VoxelPlacement[] {
  const prng = new Prng(30);
  const placements = new Map<string, VoxelPlacement>();
  while (placements.size < count) {
    const voxel = anyEditedVoxel(prng);
    placements.set(voxel.join(), { voxel, block: 1 + prng.below(EDITED_BLOCKS) });
  }
  return [...placements.values()];
}

/** Keys of a voxel in the state of a Colyseus room, short because a patch carries the second one. */
export interface VoxelKeys {
  /** The position of the chunk. */
  readonly chunk: string;
  /** The index of the voxel in the chunk. */
  readonly cell: string;
}

const CELL_RADIX = 36;

/** Returns the keys of a voxel. */
export function keysOfVoxel(voxel: Position): VoxelKeys {
  return {
    chunk: chunkOfVoxel(HYPERCUBE_CHUNKS, voxel).join(),
    cell: voxelIndex(HYPERCUBE_CHUNKS, ...voxel).toString(CELL_RADIX),
  };
}

/** Returns the chunk of a key. */
export function chunkOfKey(key: string): Position {
  const [x = Number.NaN, y = Number.NaN, z = Number.NaN, w = Number.NaN] = key.split(",").map(Number);
  return [x, y, z, w];
}

/** Returns the voxel's index of a key. */
export function indexOfKey(key: string): number {
  return Number.parseInt(key, CELL_RADIX);
}
