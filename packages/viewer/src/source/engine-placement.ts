import type { BlockPlacement } from "@orthant/core";
import type { VoxelPlacement } from "@orthant/core/tree";

/** Returns a placement as worlds take it. The viewer knows no game, so data of voxels is bytes. */
export function enginePlacement({ position, block, data }: BlockPlacement<4>): VoxelPlacement {
  return { voxel: position, block, ...((data instanceof Uint8Array || data === null) && { data }) };
}
