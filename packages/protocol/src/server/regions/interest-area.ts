import {
  type Box,
  boxVolume,
  type ChunkShape,
  type Position,
  REGION_EDGE_CHUNKS,
  regionsTouching,
} from "@orthant/core";
import type { InterestMessage } from "../../message/client-message.ts";
import type { Vector } from "../../message/entity.ts";
import type { SyncLimits } from "../sync-limits.ts";

/** How far ahead, at the client's speed, a position counts as near. */
const AHEAD_SECONDS = 1;

/** Returns an interest's regions as boxes, which may overlap, or the name of the limit that it exceeds. */
export function interestBoxes(
  { boxes }: InterestMessage,
  limits: SyncLimits,
): readonly Box[] | keyof SyncLimits {
  for (const { min, max } of boxes) {
    const isNear =
      min.every((coordinate) => coordinate >= -limits.chunkCoordinateMax) &&
      max.every((end) => end - 1 <= limits.chunkCoordinateMax);
    if (!isNear) return "chunkCoordinateMax";
  }
  const regions = boxes.map(regionsTouching);
  return regions.some((box) => boxVolume(box) > limits.interestRegionsMax) ? "interestRegionsMax" : regions;
}

/** Returns where a client is or will soon be, in regions. */
export function focusOf({ center, motion }: InterestMessage, shape: ChunkShape): Vector {
  return [
    inRegions(center[0] + motion[0] * AHEAD_SECONDS, shape.extents[0]),
    inRegions(center[1] + motion[1] * AHEAD_SECONDS, shape.extents[1]),
    inRegions(center[2] + motion[2] * AHEAD_SECONDS, shape.extents[2]),
    inRegions(center[3] + motion[3] * AHEAD_SECONDS, shape.extents[3]),
  ];
}

/** Returns the squared distance, in voxels, of a region's center from a point. */
export function distanceTo(region: Position, focus: Vector, { extents }: ChunkShape): number {
  let sum = 0;
  for (let axis = 0; axis < 4; axis++) {
    const regions = (region[axis] as number) + 0.5 - (focus[axis] as number);
    const voxels = regions * REGION_EDGE_CHUNKS * (extents[axis] as number);
    sum += voxels * voxels;
  }
  return sum;
}

function inRegions(voxels: number, extent: number): number {
  return voxels / (extent * REGION_EDGE_CHUNKS);
}
