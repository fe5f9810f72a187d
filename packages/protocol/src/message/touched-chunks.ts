import type { ChunkShape } from "@orthant/core";
import { boxVolume, chunkOfVoxel, chunksOfVoxels, PositionSet } from "@orthant/core/lattice";
import { changedBox, type RequestedEdit } from "./requested-edit.ts";

/**
 * Returns the number of chunks that an edit reads or changes, which determine its cost. Throws `ORT_POSITION_RANGE` if
 * one is off the lattice.
 */
export function chunkCount(edit: RequestedEdit, shape: ChunkShape): number {
  if (edit.kind === "voxels") {
    const chunks = new PositionSet();
    for (const { voxel } of edit.placements) chunks.add(...chunkOfVoxel(shape, voxel));
    return chunks.size;
  }
  const changed = boxVolume(chunksOfVoxels(shape, changedBox(edit)));
  return edit.kind === "fill" ? changed : changed + boxVolume(chunksOfVoxels(shape, edit.box));
}
