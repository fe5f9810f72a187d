import { type BrushPlacements, boxBrush, sphereBrush } from "@orthant/client";
import type { Position } from "@orthant/core";
import { positionFrom } from "@orthant/core/lattice";
import type { Slice } from "../slice/slice.ts";

/** The voxels that a click changes: a shape and its radius. */
export interface Brush {
  readonly shape: "box" | "sphere";
  /** 0 is a single voxel. */
  readonly radius: number;
  /** Whether the brush extends into the slices beside the visible one. */
  readonly isThick: boolean;
}

/** The largest radius: even a box of this radius in all four axes is one edit, of at most 4,096 voxels. */
export const BRUSH_RADIUS_MAX = 3;

/** Returns the voxels that a brush covers, with their new block. */
export function brushPlacements(
  { shape, radius, isThick }: Brush,
  center: Position,
  slice: Slice,
  block: number,
): BrushPlacements<Position> {
  const radii = positionFrom((axis) => (axis === slice.hidden && !isThick ? 0 : radius));
  return shape === "box" ? boxBrush(center, radii, block) : sphereBrush(center, radii, block);
}
