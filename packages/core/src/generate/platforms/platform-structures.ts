import { type Box, boxesIntersect, boxVolume } from "../../lattice/box.ts";
import { type Axis, floorDivide, type Position, positionFrom } from "../../lattice/position.ts";
import type { ChunkCanvas } from "../draw/chunk-canvas.ts";
import { STONE } from "../draw/palette.ts";
import { HashSequence, hashPosition } from "../hash/position-hash.ts";
import type { Platform } from "./platform-layout.ts";
import { STRUCTURE_KINDS, type Structure } from "./structure-shapes.ts";

/** Edge of the lattice cells around a platform's center, each of which holds at most one structure. */
const CELL_VOXELS = 32;
const JITTER_VOXELS = 3;
/** Nothing is built around the origin, so that players have room to arrive. */
const ANCHOR_CLEARING_CELLS = 1;
/** Boxes that touch more cells are not examined in detail. */
const CELLS_PER_GLANCE_MAX = 512;

/** Returns the structures of a platform in a box of voxels, in an order independent of the box. */
export function structuresNear(platform: Platform, percent: number, voxels: Box): readonly Structure[] {
  const cells = cellsTouching(platform, voxels);
  const found: Structure[] = [];
  if (cells === undefined) return found;
  const { min, max } = cells;
  for (let x = min[0]; x < max[0]; x++)
    for (let z = min[2]; z < max[2]; z++)
      for (let w = min[3]; w < max[3]; w++) {
        const structure = structureOf(platform, percent, [x, 0, z, w]);
        if (structure !== undefined && boxesIntersect(structure.bounds, voxels)) found.push(structure);
      }
  return found;
}

/** Whether certainly no structure touches a box of voxels. Always false for a box too large to examine. */
export function isUnbuilt(platform: Platform, percent: number, voxels: Box): boolean {
  const cells = cellsTouching(platform, voxels);
  if (cells === undefined) return true;
  return boxVolume(cells) <= CELLS_PER_GLANCE_MAX && structuresNear(platform, percent, voxels).length === 0;
}

function cellsTouching({ center, bounds, top }: Platform, { min, max }: Box): Box | undefined {
  if (max[1] <= top) return undefined;
  const first = positionFrom((axis) => cellAt(Math.max(min[axis], bounds.min[axis]) - center[axis]));
  const last = positionFrom((axis) => cellAt(Math.min(max[axis], bounds.max[axis]) - 1 - center[axis]));
  if (last[0] < first[0] || last[2] < first[2] || last[3] < first[3]) return undefined;
  return { min: [first[0], 0, first[2], first[3]], max: [last[0] + 1, 1, last[2] + 1, last[3] + 1] };
}

function cellAt(fromCenter: number): number {
  return floorDivide(fromCenter + CELL_VOXELS / 2, CELL_VOXELS);
}

function structureOf(platform: Platform, percent: number, cell: Position): Structure | undefined {
  if (platform.isAnchor && cell.every((coordinate) => Math.abs(coordinate) < ANCHOR_CLEARING_CELLS)) {
    return undefined;
  }
  const draw = new HashSequence(hashPosition(platform.hash, ...cell));
  if (!draw.percent(percent)) return undefined;
  const { center, halves, top } = platform;
  const isFlat = positionFrom((axis) => Number(halves[axis] === 0));
  const middle = positionFrom((axis) => {
    if (isFlat[axis] === 1) return center[axis];
    return center[axis] + cell[axis] * CELL_VOXELS + draw.between(-JITTER_VOXELS, JITTER_VOXELS);
  });
  const { half, height, ...kind } = draw.pick(STRUCTURE_KINDS)(draw);
  const halvesOf = positionFrom((axis) => (isFlat[axis] === 1 ? 0 : half));
  const bounds: Box = {
    min: [middle[0] - half, top, middle[2] - halvesOf[2], middle[3] - halvesOf[3]],
    max: [middle[0] + half + 1, top + height, middle[2] + halvesOf[2] + 1, middle[3] + halvesOf[3] + 1],
  };
  if (relateToLayer(platform, 0, bounds) !== "inside") return undefined;
  return { ...kind, base: [middle[0], top, middle[2], middle[3]], halves: halvesOf, height, bounds };
}

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
