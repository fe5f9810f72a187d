import type { ChunkCanvas } from "./chunk-canvas.ts";
import { LEAVES, SNOW, WOOD } from "./palette.ts";

/** A tree that stands on a voxel of ground below `y`. */
export interface Tree {
  readonly x: number;
  readonly y: number;
  readonly z: number;
  readonly w: number;
  readonly kind: "round" | "conifer" | "snowy conifer";
  /** Voxels of trunk below the top of the crown. */
  readonly height: number;
}

/** Maximum horizontal distance of a tree's voxels from its trunk. */
export const TREE_REACH_VOXELS = 3;
/** Maximum height of a tree. */
export const TREE_HEIGHT_MAX = 14;

/** Draws the part of a tree that lies in a chunk. */
export function drawTree(canvas: ChunkCanvas, { x, y, z, w, kind, height }: Tree): void {
  if (kind === "round") {
    const crown = y + height - 1;
    canvas.fillBall(x, crown, z, w, 2.6, LEAVES);
    canvas.fillBall(x, crown - 2, z, w, 2.3, LEAVES);
  } else {
    // Rings that shrink towards the tip, with a step back every third voxel.
    for (let level = 2; level <= height; level++) {
      const fromTip = height - level;
      const radius = Math.min(TREE_REACH_VOXELS, 0.6 + fromTip * 0.35 + (fromTip % 3) * 0.4);
      drawDisc(canvas, x, y + level, z, w, radius, LEAVES);
      if (kind === "snowy conifer" && fromTip % 3 === 0) drawDisc(canvas, x, y + level, z, w, radius, SNOW);
    }
  }
  canvas.fillBox(x, y, z, w, x + 1, y + height - 1, z + 1, w + 1, WOOD);
}

/** Draws a ball that is one voxel high. */
function drawDisc(
  canvas: ChunkCanvas,
  x: number,
  y: number,
  z: number,
  w: number,
  radius: number,
  block: number,
): void {
  const reach = Math.floor(radius);
  for (let dw = -reach; dw <= reach; dw++)
    for (let dz = -reach; dz <= reach; dz++) {
      const rest = radius * radius - dw * dw - dz * dz;
      if (rest < 0) continue;
      const dx = Math.floor(Math.sqrt(rest));
      canvas.fillRow(x - dx, x + dx + 1, y, z + dz, w + dw, block);
    }
}
