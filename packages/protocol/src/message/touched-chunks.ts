import type { ChunkShape } from "@orthant/core";
import {
  boxVolume,
  chunkOfVoxel,
  chunksOfVoxels,
  PositionSet,
  requireLatticePosition,
} from "@orthant/core/lattice";
import type { VoxelPlacement } from "@orthant/core/tree";
import { changedBox, type RequestedEdit } from "./requested-edit.ts";

/**
 * Returns the number of chunks that an edit reads or changes, which determine its cost. Throws `ORT_POSITION_RANGE` if
 * one is off the lattice.
 */
export function chunkCount(edit: RequestedEdit, shape: ChunkShape): number {
  if (edit.kind === "voxels") return placedChunkCount(edit.placements, shape);
  const changed = boxVolume(chunksOfVoxels(shape, changedBox(edit)));
  return edit.kind === "fill" ? changed : changed + boxVolume(chunksOfVoxels(shape, edit.box));
}

function placedChunkCount(placements: readonly VoxelPlacement[], shape: ChunkShape): number {
  const [only] = placements;
  // Most edits have one voxel.
  if (only !== undefined && placements.length === 1) {
    requireLatticePosition(...chunkOfVoxel(shape, only.voxel));
    return 1;
  }
  const chunks = new PositionSet();
  for (const { voxel } of placements) chunks.add(...chunkOfVoxel(shape, voxel));
  return chunks.size;
}
