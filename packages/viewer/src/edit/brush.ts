import { type Place, placeFrom } from "@orthant/core";
import type { Slice } from "../slice/slice.ts";

/** What a click changes: so many voxels to each side, in a shape. */
export interface Brush {
  readonly shape: "box" | "sphere";
  /** 0 is a single voxel. */
  readonly radius: number;
  /** Whether it reaches into the slices beside the one that is seen. */
  readonly isThick: boolean;
}

/** The largest radius: even a box of it in all four axes is one edit, of at most 4,096 voxels. */
export const BRUSH_RADIUS_MAX = 3;

/** The voxels that a brush touches. */
export function brushVoxels(
  { shape, radius, isThick }: Brush,
  center: Place,
  slice: Slice,
): readonly Place[] {
  const voxels: Place[] = [];
  const depth = isThick ? radius : 0;
  for (let hidden = -depth; hidden <= depth; hidden++)
    for (let back = -radius; back <= radius; back++)
      for (let up = -radius; up <= radius; up++)
        for (let right = -radius; right <= radius; right++) {
          const squared = right * right + up * up + back * back + hidden * hidden;
          // A little more than the radius is rounder than the radius itself.
          if (shape === "sphere" && squared > radius * (radius + 1)) continue;
          const offset: [number, number, number, number] = [0, 0, 0, 0];
          offset[slice.right] = right;
          offset[slice.up] = up;
          offset[slice.back] = back;
          offset[slice.hidden] = hidden;
          voxels.push(placeFrom((axis) => center[axis] + offset[axis]));
        }
  return voxels;
}
