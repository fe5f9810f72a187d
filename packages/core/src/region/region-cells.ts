import type { Box } from "../lattice/box.ts";
import { AXES, type Axis, type Position, positionFrom } from "../lattice/position.ts";
import { REGION_EDGE_CHUNKS, regionBox } from "../lattice/region.ts";

/** Chunks in a region. */
export const REGION_CELLS: number = REGION_EDGE_CHUNKS ** 4;

/** A box of a region's cells and their common value. */
interface CellBox<Value> {
  readonly box: Box;
  readonly value: Value;
}

/**
 * Returns the cell of a chunk: its index in its region, in lexicographic order, with w running fastest. The tree counts
 * with x running fastest instead: see `nodeIndexOf`.
 */
export function cellOfChunk([x, y, z, w]: Position): number {
  return ((x & 3) << 6) | ((y & 3) << 4) | ((z & 3) << 2) | (w & 3);
}

/** Returns the chunk at a cell of a region. */
export function chunkOfCell(region: Position, cell: number): Position {
  return positionFrom((axis) => region[axis] * REGION_EDGE_CHUNKS + ((cell >>> (6 - 2 * axis)) & 3));
}

/** Returns the chunks from one cell of a region to another, inclusive; `undefined` if that is not a box. */
export function boxOfCells(region: Position, first: number, last: number): Box | undefined {
  const min = chunkOfCell(region, first);
  const end = chunkOfCell(region, last);
  if (end.some((coordinate, axis) => coordinate < (min[axis] ?? 0))) return undefined;
  return { min, max: positionFrom((axis) => end[axis] + 1) };
}

/** Calls `visit` for every cell of a box in one region, in order. */
export function forEachRegionCell({ min, max }: Box, visit: (cell: number) => void): void {
  for (let x = min[0]; x < max[0]; x++)
    for (let y = min[1]; y < max[1]; y++)
      for (let z = min[2]; z < max[2]; z++)
        for (let w = min[3]; w < max[3]; w++) visit(cellOfChunk([x, y, z, w]));
}

/**
 * Covers the cells that have a value with disjoint boxes of one value each, ordered by lowest corner. Each
 * box starts at the first uncovered cell and grows along w as far as possible, then z, y and x.
 */
export function coverRegion<Value>(
  region: Position,
  cells: readonly (Value | undefined)[],
  mayJoin: (a: Value, b: Value) => boolean,
): readonly CellBox<Value>[] {
  const open = cells.slice();
  const boxes: CellBox<Value>[] = [];
  for (let first = 0; first < REGION_CELLS; first++) {
    const value = open[first];
    if (value === undefined) continue;
    const fits = (cell: number): boolean => {
      const other = open[cell];
      return other !== undefined && (cell === first || mayJoin(value, other));
    };
    const last = growBox(region, first, fits);
    const box = boxOfCells(region, first, last) as Box;
    forEachRegionCell(box, (cell) => {
      open[cell] = undefined;
    });
    boxes.push({ box, value });
  }
  return boxes;
}

/** Returns the last cell of the box that grows from `first` along w, z, y and x while all its cells fit. */
function growBox(region: Position, first: number, fits: (cell: number) => boolean): number {
  let last = first;
  for (const step of [1, 4, 16, 64]) {
    // Stop at the end of the region on this axis.
    while (Math.floor(last / step) % REGION_EDGE_CHUNKS < REGION_EDGE_CHUNKS - 1) {
      const grown = boxOfCells(region, first, last + step) as Box;
      let whole = true;
      forEachRegionCell(grown, (cell) => {
        whole &&= fits(cell);
      });
      if (!whole) break;
      last += step;
    }
  }
  return last;
}

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
