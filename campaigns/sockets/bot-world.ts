import { type Box, DEFAULT_BLOCKS, type Position } from "@orthant/core";
import { positionFrom } from "@orthant/core/lattice";
import type { Prng } from "@orthant/testkit";

/** Number of lanes. Each client builds in a separate lane, which is a `w` coordinate. */
export const LANES = 50;
/** The `w` that all clients edit, where the last edit is not predictable. */
export const SHARED_LANE = 60;

const EDGE_VOXELS = 128;
/** Greatest distance from its center at which a client builds. */
const REACH_VOXELS = 12;

/** Voxels in which everything happens. */
const AREA: Box = {
  min: [-EDGE_VOXELS / 2, -EDGE_VOXELS / 2, -EDGE_VOXELS / 2, 0],
  max: [EDGE_VOXELS / 2, EDGE_VOXELS / 2, EDGE_VOXELS / 2, SHARED_LANE + 1],
};

/** Draws a position. */
export function anyPosition(prng: Prng): Position {
  return positionFrom((axis) => prng.between(AREA.min[axis], AREA.max[axis] - 1));
}

/** Draws a voxel of one lane within reach of `center`. */
export function voxelNear(center: Position, lane: number, prng: Prng): Position {
  const [x, y, z] = positionFrom((axis) => center[axis] + prng.between(-REACH_VOXELS, REACH_VOXELS));
  return [x, y, z, lane];
}

/** Draws a block other than air. */
export function anyBlock(prng: Prng): number {
  return prng.between(1, DEFAULT_BLOCKS.types.length - 1);
}
