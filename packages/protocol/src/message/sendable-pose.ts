import { positionFrom } from "@orthant/core";
import type { Pose } from "./entity.ts";
import { VOXEL_COORDINATE_MAX } from "./limits.ts";

/** Clamps a pose of the world, which may contain any numbers, to the range that messages support. */
export function sendablePose({ position, orientation }: Pose): Pose {
  const longest = Math.max(1, ...orientation.map((component) => Math.abs(finite(component))));
  return {
    position: positionFrom((axis) => inReach(position[axis])),
    orientation: positionFrom((axis) => finite(orientation[axis]) / longest),
  };
}

function inReach(coordinate: number): number {
  return Math.min(VOXEL_COORDINATE_MAX, Math.max(-VOXEL_COORDINATE_MAX, finite(coordinate)));
}

function finite(number: number): number {
  if (Number.isNaN(number)) return 0;
  return Math.min(Number.MAX_VALUE, Math.max(-Number.MAX_VALUE, number));
}
