import type { Box, ChunkShape, Position } from "@orthant/core";
import { requireAtMost } from "@orthant/core/arguments";
import {
  boxVolume,
  chunkOfVoxel,
  chunksOfVoxels,
  PositionSet,
  positionsLexicographic,
  regionOf,
  regionsTouching,
} from "@orthant/core/lattice";
import { changedBox, chunkCount, type RequestedEdit } from "@orthant/protocol";

/**
 * Maximum number of chunks that one edit reads or changes, and of voxels in all of them: 2,048 chunks of 16 x 16 x 16. An
 * owner that has to generate them takes less than half of the time after which other nodes consider it dead. Rule K71.
 */
const EDIT_CHUNKS_MAX = 4_096;
const EDIT_VOXELS_MAX = 8_388_608;
/** Maximum number of voxels that one edit copies. Rule K71. */
const COPY_VOXELS_MAX = 262_144;
const ADVICE = "make several smaller edits";
/** Maximum number of regions in a box that a gateway loads or keeps at once. */
const BOX_REGIONS_MAX = 16_384;

/**
 * Throws `ORT_LIMIT` for an edit that is too large for an owner, and `ORT_ARGUMENT` or `ORT_POSITION_RANGE` for one with
 * coordinates that no world has. Lists nothing that the edit only describes.
 */
export function requireEditSize(edit: RequestedEdit, shape: ChunkShape): void {
  const chunksMax = Math.min(EDIT_CHUNKS_MAX, Math.floor(EDIT_VOXELS_MAX / shape.volume));
  if (edit.kind === "copy") requireAtMost(boxVolume(edit.box), COPY_VOXELS_MAX, "voxels of a copy", ADVICE);
  requireAtMost(chunkCount(edit, shape), chunksMax, "chunks of an edit", ADVICE);
}

/** Returns the regions that an edit reads or changes. Throws as `requireEditSize` does. */
export function editedRegions(edit: RequestedEdit, shape: ChunkShape): PositionSet {
  requireEditSize(edit, shape);
  const regions = new PositionSet();
  if (edit.kind === "voxels") {
    for (const { voxel } of edit.placements) regions.add(...regionOf(chunkOfVoxel(shape, voxel)));
    return regions;
  }
  for (const voxels of boxesOf(edit))
    for (const region of positionsLexicographic(regionsTouching(chunksOfVoxels(shape, voxels))))
      regions.add(...region);
  return regions;
}

/** Returns the regions that a caller's box of chunks touches. Throws `ORT_LIMIT` before it lists too many. */
export function listedRegions(chunks: Box): readonly Position[] {
  const regions = regionsTouching(chunks);
  requireAtMost(boxVolume(regions), BOX_REGIONS_MAX, "regions of a box", "ask for smaller boxes");
  return [...positionsLexicographic(regions)];
}

/** Returns the boxes of voxels that a fill or a copy changes or reads. */
function boxesOf(edit: Exclude<RequestedEdit, { kind: "voxels" }>): readonly Box[] {
  return edit.kind === "fill" ? [edit.box] : [changedBox(edit), edit.box];
}
