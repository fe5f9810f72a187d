import type { Box } from "../lattice/box.ts";
import { AXES, type Axis, type Position, positionFrom } from "../lattice/position.ts";
import { regionBox } from "../lattice/region.ts";

/** Returns disjoint boxes of chunks that cover exactly these regions, joining adjacent regions. */
export function boxesOfRegions(regions: Iterable<Position>): readonly Box[] {
  let boxes: readonly Box[] = Array.from(regions, regionBox);
  for (const axis of [3, 2, 1, 0] as const) {
    if (boxes.length > 1) boxes = joinAlong(axis, boxes);
  }
  return boxes;
}

/** Joins boxes that are adjacent along an axis and equal on all others. Merges equal boxes. */
function joinAlong(axis: Axis, boxes: readonly Box[]): readonly Box[] {
  const joined: Box[] = [];
  for (const box of [...boxes].sort((a, b) => compareAcross(axis, a, b) || a.min[axis] - b.min[axis])) {
    const last = joined.at(-1);
    if (last === undefined || compareAcross(axis, last, box) !== 0 || last.max[axis] < box.min[axis]) {
      joined.push(box);
    } else {
      joined[joined.length - 1] = {
        min: last.min,
        max: positionFrom((each) =>
          each === axis ? Math.max(last.max[each], box.max[each]) : last.max[each],
        ),
      };
    }
  }
  return joined;
}

/** Orders boxes by their bounds on all axes but one. */
function compareAcross(axis: Axis, a: Box, b: Box): number {
  for (const each of AXES) {
    if (each === axis) continue;
    const order = a.min[each] - b.min[each] || a.max[each] - b.max[each];
    if (order !== 0) return order;
  }
  return 0;
}
