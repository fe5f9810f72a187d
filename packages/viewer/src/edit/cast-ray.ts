import type { ScenePoint } from "../slice/slice.ts";

/** The voxel that a ray hits, and the voxel that it passed just before. */
export interface RayHit {
  readonly voxel: ScenePoint;
  readonly before: ScenePoint;
  readonly distance: number;
}

/**
 * Follows a ray from voxel to voxel until one is not free. Returns `undefined` when that voxel is out of
 * reach, or when the ray meets an unknown voxel.
 */
export function castRay(
  from: ScenePoint,
  direction: ScenePoint,
  reach: number,
  isFree: (right: number, up: number, back: number) => boolean | undefined,
): RayHit | undefined {
  const length = Math.hypot(...direction);
  if (!(length > 0) || !from.every(Number.isFinite)) return undefined;
  const unit = direction.map((part) => part / length);
  const cell = from.map(Math.floor) as [number, number, number];
  const step = unit.map((part) => (part > 0 ? 1 : -1));
  const perCell = unit.map((part) => (part === 0 ? Number.POSITIVE_INFINITY : Math.abs(1 / part)));
  const next = unit.map((part, axis) => {
    const inside = (from[axis] as number) - (cell[axis] as number);
    if (part === 0) return Number.POSITIVE_INFINITY;
    return (part > 0 ? 1 - inside : inside) * (perCell[axis] as number);
  });
  let before: ScenePoint = [cell[0], cell[1], cell[2]];
  let distance = 0;
  while (distance <= reach) {
    const free = isFree(...cell);
    if (free === undefined) return undefined;
    if (!free) return { voxel: [cell[0], cell[1], cell[2]], before, distance };
    before = [cell[0], cell[1], cell[2]];
    const axis = nearestOf(next);
    distance = next[axis] as number;
    next[axis] = distance + (perCell[axis] as number);
    cell[axis] += step[axis] as number;
  }
  return undefined;
}

function nearestOf(distances: readonly number[]): 0 | 1 | 2 {
  const [right = 0, up = 0, back = 0] = distances;
  if (right <= up && right <= back) return 0;
  return up <= back ? 1 : 2;
}
