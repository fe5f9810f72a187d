import type { Box, ChunkShape, Vector } from "@orthant/core";
import { type AXES, boxBetween, positionFrom } from "@orthant/core/lattice";

/** Chunks have coordinates of 32 bits. */
const CHUNKS_EACH_WAY = 2 ** 31;

/** Returns the voxels of the world within a distance of a place, on each axis that it has; of a place outside, the nearest. */
export function voxelsAround(place: Vector, distance: number, { extents }: ChunkShape): Box {
  const inWorld = (axis: (typeof AXES)[number], coordinate: number): number => {
    const end = CHUNKS_EACH_WAY * extents[axis];
    return Math.max(-end, Math.min(end - 1, Math.floor(coordinate)));
  };
  const reach = (axis: (typeof AXES)[number]): number => (extents[axis] > 1 ? distance : 0);
  return boxBetween(
    positionFrom((axis) => inWorld(axis, place[axis] - reach(axis))),
    positionFrom((axis) => inWorld(axis, place[axis] + reach(axis)) + 1),
  );
}
