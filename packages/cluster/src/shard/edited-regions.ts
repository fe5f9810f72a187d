import type { Box, ChunkShape } from "@orthant/core";
import {
  chunkOfVoxel,
  chunksOfVoxels,
  PositionSet,
  positionsLexicographic,
  regionOf,
  regionsTouching,
} from "@orthant/core/engine";
import { changedBox, type RequestedEdit } from "@orthant/protocol";

/** Returns the regions that an edit reads or changes. */
export function editedRegions(edit: RequestedEdit, shape: ChunkShape): PositionSet {
  const regions = new PositionSet();
  if (edit.kind === "voxels") {
    for (const { voxel } of edit.placements) regions.add(...regionOf(chunkOfVoxel(shape, voxel)));
    return regions;
  }
  const add = (voxels: Box): void => {
    for (const region of positionsLexicographic(regionsTouching(chunksOfVoxels(shape, voxels))))
      regions.add(...region);
  };
  add(changedBox(edit));
  if (edit.kind === "copy") add(edit.box);
  return regions;
}
