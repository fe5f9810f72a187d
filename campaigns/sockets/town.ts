import { type Box, DEFAULT_MATERIALS, type Place, placeFrom } from "@orthant/core";
import type { Prng } from "@orthant/testkit";

/** The part of the world where everything happens, in voxels: each client has a lane of its own, its `w`. */
export const LANES = 50;
/** The `w` that all clients edit: there nobody knows who is last. */
export const SQUARE = 60;

const EDGE_VOXELS = 128;
/** How far from where it is a client builds. */
const REACH_VOXELS = 12;

/** The voxels of the town. */
const TOWN: Box = {
  min: [-EDGE_VOXELS / 2, -EDGE_VOXELS / 2, -EDGE_VOXELS / 2, 0],
  max: [EDGE_VOXELS / 2, EDGE_VOXELS / 2, EDGE_VOXELS / 2, SQUARE + 1],
};

/** Anywhere in town. */
export function placeInTown(prng: Prng): Place {
  return placeFrom((axis) => prng.between(TOWN.min[axis], TOWN.max[axis] - 1));
}

/** A voxel of one lane, in reach of somebody. */
export function voxelNear(center: Place, lane: number, prng: Prng): Place {
  const [x, y, z] = placeFrom((axis) => center[axis] + prng.between(-REACH_VOXELS, REACH_VOXELS));
  return [x, y, z, lane];
}

/** Anything but air. */
export function anyMaterial(prng: Prng): number {
  return prng.between(1, DEFAULT_MATERIALS.materials.length - 1);
}
