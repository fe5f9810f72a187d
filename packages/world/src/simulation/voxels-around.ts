import type { Box, ChunkShape, Vector } from "@orthant/core";
import { type AXES, boxBetween, positionFrom } from "@orthant/core/engine";

/** Returns the voxels within a distance of a place, on each axis that the world has. */
export function voxelsAround(place: Vector, distance: number, { extents }: ChunkShape): Box {
  const reach = (axis: (typeof AXES)[number]): number => (extents[axis] > 1 ? distance : 0);
  return boxBetween(
    positionFrom((axis) => Math.floor(place[axis] - reach(axis))),
    positionFrom((axis) => Math.floor(place[axis] + reach(axis)) + 1),
  );
}
