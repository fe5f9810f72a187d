import type { Box } from "../../lattice/box.ts";
import { hashPosition } from "../hash/position-hash.ts";
import type { ChunkCanvas } from "./chunk-canvas.ts";

/** Fraction of a capsule's squared radius within which it contains every voxel. */
const SMOOTH_SHARE = 0.5625;
const ROUGHNESS_KEY = 0x6b21;

/**
 * The voxels near a line: a tunnel, a vein, or with `flatness` above 1 a low hall. It contains all voxels up
 * to three quarters of the radius and ever fewer beyond, so that the walls are rough.
 */
export interface Capsule {
  readonly fromX: number;
  readonly fromY: number;
  readonly fromZ: number;
  readonly toX: number;
  readonly toY: number;
  readonly toZ: number;
  readonly radius: number;
  /** Factor for vertical distances, at least 1. */
  readonly flatness: number;
}

/** Whether a capsule may have voxels in a box of voxels. Always true when it has some. */
export function mayTouch(capsule: Capsule, { min, max }: Box): boolean {
  const { fromX, fromY, fromZ, toX, toY, toZ, radius } = capsule;
  if (Math.max(fromX, toX) + radius < min[0] || Math.min(fromX, toX) - radius > max[0] - 1) return false;
  if (Math.max(fromY, toY) + radius < min[1] || Math.min(fromY, toY) - radius > max[1] - 1) return false;
  if (Math.max(fromZ, toZ) + radius < min[2] || Math.min(fromZ, toZ) - radius > max[2] - 1) return false;
  // A ball around the box: if the line stays further away than the radius, so does every voxel.
  const halfX = (max[0] - 1 - min[0]) / 2;
  const halfY = (max[1] - 1 - min[1]) / 2;
  const halfZ = (max[2] - 1 - min[2]) / 2;
  const reach = Math.sqrt(halfX * halfX + halfY * halfY + halfZ * halfZ) + radius + 0.01;
  return squaredDistance(capsule, min[0] + halfX, min[1] + halfY, min[2] + halfZ, 1) <= reach * reach;
}

/** Calls `visit` for every voxel of a capsule in the canvas' first slice. */
export function visitCapsule(
  canvas: ChunkCanvas,
  capsule: Capsule,
  visit: (index: number, x: number, y: number, z: number) => void,
): void {
  const { fromX, fromY, fromZ, toX, toY, toZ, radius, flatness } = capsule;
  const { minX, minY, minZ, minW, maxX, maxY, maxZ } = canvas;
  const firstX = Math.max(minX, Math.ceil(Math.min(fromX, toX) - radius));
  const firstY = Math.max(minY, Math.ceil(Math.min(fromY, toY) - radius));
  const firstZ = Math.max(minZ, Math.ceil(Math.min(fromZ, toZ) - radius));
  const lastX = Math.min(maxX - 1, Math.floor(Math.max(fromX, toX) + radius));
  const lastY = Math.min(maxY - 1, Math.floor(Math.max(fromY, toY) + radius));
  const lastZ = Math.min(maxZ - 1, Math.floor(Math.max(fromZ, toZ) + radius));
  const outer = radius * radius;
  const inner = outer * SMOOTH_SHARE;
  for (let z = firstZ; z <= lastZ; z++)
    for (let y = firstY; y <= lastY; y++) {
      const row = canvas.indexOf(minX, y, z, minW) - minX;
      for (let x = firstX; x <= lastX; x++) {
        const distance = squaredDistance(capsule, x, y, z, flatness);
        if (
          distance <= inner ||
          (distance <= outer && distance <= inner + (outer - inner) * roughness(x, y, z))
        ) {
          visit(row + x, x, y, z);
        }
      }
    }
}

/** Returns a value from 0 to 1 that is the same for all voxels of a small cube. */
function roughness(x: number, y: number, z: number): number {
  return (
    hashPosition(ROUGHNESS_KEY, Math.floor(x / 2), Math.floor(y / 2), Math.floor(z / 2), 0) / 0x1_0000_0000
  );
}

function squaredDistance(
  { fromX, fromY, fromZ, toX, toY, toZ }: Capsule,
  x: number,
  y: number,
  z: number,
  flatness: number,
): number {
  const lineX = toX - fromX;
  const lineY = toY - fromY;
  const lineZ = toZ - fromZ;
  const lengthSquared = lineX * lineX + lineY * lineY + lineZ * lineZ;
  const along = (x - fromX) * lineX + (y - fromY) * lineY + (z - fromZ) * lineZ;
  const share = lengthSquared === 0 ? 0 : Math.min(1, Math.max(0, along / lengthSquared));
  const apartX = x - fromX - lineX * share;
  const apartY = (y - fromY - lineY * share) * flatness;
  const apartZ = z - fromZ - lineZ * share;
  return apartX * apartX + apartY * apartY + apartZ * apartZ;
}
