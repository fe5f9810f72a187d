import { type Box, boxesIntersect, boxVolume } from "../../lattice/box.ts";
import { floorDivide } from "../../lattice/floor-division.ts";
import { type Position, positionFrom } from "../../lattice/position.ts";
import { HashSequence, hashPosition } from "../hash/position-hash.ts";
import type { Platform } from "./platform-layout.ts";
import { relateToLayer } from "./platform-slab.ts";
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
