import type { BlockPlacement, VoxelPlacement } from "@orthant/core";

/** Returns a placement as worlds take it. The viewer knows no game, so data of voxels is bytes. */
export function enginePlacement({ position, block, data }: BlockPlacement<4>): VoxelPlacement {
  return { voxel: position, block, ...((data instanceof Uint8Array || data === null) && { data }) };
}
