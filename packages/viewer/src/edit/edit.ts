import { type Position, positionFrom, type VoxelPlacement } from "@orthant/core";
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

/** Returns the voxels that a brush covers. */
export function brushVoxels(
  { shape, radius, isThick }: Brush,
  center: Position,
  slice: Slice,
): readonly Position[] {
  const voxels: Position[] = [];
  const depth = isThick ? radius : 0;
  for (let hidden = -depth; hidden <= depth; hidden++)
    for (let back = -radius; back <= radius; back++)
      for (let up = -radius; up <= radius; up++)
        for (let right = -radius; right <= radius; right++) {
          const squared = right * right + up * up + back * back + hidden * hidden;
          // A limit slightly above the radius makes the sphere rounder.
          if (shape === "sphere" && squared > radius * (radius + 1)) continue;
          const offset: [number, number, number, number] = [0, 0, 0, 0];
          offset[slice.right] = right;
          offset[slice.up] = up;
          offset[slice.back] = back;
          offset[slice.hidden] = hidden;
          voxels.push(positionFrom((axis) => center[axis] + offset[axis]));
        }
  return voxels;
}

/** Number of edits that can be undone. */
const EDITS_KEPT = 100;

/** The visitor's last edits, stored as the placements that undo them. */
export class EditHistory {
  #undos: (readonly VoxelPlacement[])[] = [];

  /** Records the voxels before an edit. Returns a function that forgets them if the edit is not applied. */
  remember(before: readonly VoxelPlacement[]): () => void {
    this.#undos.push(before);
    if (this.#undos.length > EDITS_KEPT) this.#undos.shift();
    return () => {
      this.#undos = this.#undos.filter((undo) => undo !== before);
    };
  }

  /** Removes and returns the placements that undo the last edit; `undefined` when there is none. */
  popLast(): readonly VoxelPlacement[] | undefined {
    return this.#undos.pop();
  }
}
