import type { Box } from "../../lattice/box.ts";
import type { Axis } from "../../lattice/position.ts";
import type { ChunkCanvas } from "../draw/chunk-canvas.ts";
import { STONE } from "../draw/palette.ts";
import type { Platform } from "./platform-layout.ts";

const HORIZONTAL: readonly Axis[] = [0, 2, 3];
/** Thickness of the stone cliffs at the sides of a slab. */
const CLIFF_VOXELS = 3;

/** Returns how a box of voxels relates to the outline of a layer, seen from above; layer 0 is the top. */
export function relateToLayer(
  platform: Platform,
  layer: number,
  voxels: Box,
): "inside" | "outside" | "partly" {
  return relateToOutline(platform, layer * platform.taper, voxels);
}

/** Whether a box of voxels at the height of a layer has only the slab's block, without any cliff. */
export function isCore(platform: Platform, layer: number, voxels: Box): boolean {
  return relateToOutline(platform, layer * platform.taper + CLIFF_VOXELS, voxels) === "inside";
}

/** Draws the part of one layer that lies in a chunk at the height of that layer. */
export function drawLayer(canvas: ChunkCanvas, platform: Platform, layer: number): void {
  const { minY, minZ, minW, maxY, maxZ, maxW } = canvas;
  const { center, surface, top } = platform;
  const inset = layer * platform.taper;
  for (let w = minW; w < maxW; w++)
    for (let z = minZ; z < maxZ; z++) {
      const outer = reachAlongX(platform, inset, z, w);
      const inner = reachAlongX(platform, inset + CLIFF_VOXELS, z, w);
      for (let y = minY; y < maxY; y++) {
        const edge = y === top - 1 ? surface : STONE;
        canvas.fillRow(center[0] - outer, center[0] + outer + 1, y, z, w, edge);
        canvas.fillRow(center[0] - inner, center[0] + inner + 1, y, z, w, surface);
      }
    }
}

function relateToOutline(
  platform: Platform,
  inset: number,
  { min, max }: Box,
): "inside" | "outside" | "partly" {
  const { center, bevel } = platform;
  let nearest = 0;
  let farthest = 0;
  for (const axis of HORIZONTAL) {
    const low = min[axis] - center[axis];
    const high = max[axis] - 1 - center[axis];
    const near = Math.max(0, low, -high);
    const far = Math.max(Math.abs(low), Math.abs(high));
    const half = halfOf(platform, inset, axis);
    if (near > half) return "outside";
    nearest += overshoot(near, half, bevel);
    farthest += far > half ? Number.POSITIVE_INFINITY : overshoot(far, half, bevel);
  }
  if (nearest > bevel) return "outside";
  return farthest <= bevel ? "inside" : "partly";
}

/** Returns how far the outline extends to both sides of the center in a row; -1 if it misses the row. */
function reachAlongX(platform: Platform, inset: number, z: number, w: number): number {
  const { center, bevel } = platform;
  const halfZ = halfOf(platform, inset, 2);
  const halfW = halfOf(platform, inset, 3);
  const awayZ = Math.abs(z - center[2]);
  const awayW = Math.abs(w - center[3]);
  const cut = overshoot(awayZ, halfZ, bevel) + overshoot(awayW, halfW, bevel);
  // The overshoot along x may use up what the other axes leave of the bevel.
  return awayZ > halfZ || awayW > halfW || cut > bevel ? -1 : halfOf(platform, inset, 0) - cut;
}

function halfOf({ halves }: Platform, inset: number, axis: Axis): number {
  return halves[axis] === 0 ? 0 : halves[axis] - inset;
}

/** Returns by how much a distance from the center exceeds the point where the bevel begins. */
function overshoot(distance: number, half: number, bevel: number): number {
  return half === 0 ? 0 : Math.max(0, distance - (half - bevel));
}
