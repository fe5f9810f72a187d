import type { Box, Position } from "@orthant/core";
import type { ByteReader, ByteWriter } from "@orthant/core/bytes";
import { AXES, boxEquals, boxExtents } from "@orthant/core/lattice";
import { LEAF_LEVEL_MAX } from "./layout.ts";
import { Bounds } from "./prepared-chunks.ts";

/** Writes positions in lexicographic order. `box` must be their bounding box. Rule S74. */
export function writePositions(
  out: ByteWriter,
  box: Box,
  chunks: readonly { readonly position: Position }[],
): void {
  const grid = gridOf(box);
  let last = BEFORE_FIRST;
  for (const { position } of chunks) {
    const next = spotOf(grid, position);
    if (grid.isWide) {
      out.varU32(next.column - last.column);
      out.varU32(next.column === last.column ? next.row - last.row - 1 : next.row);
    } else {
      out.varUint((next.column - last.column) * grid.rows + next.row - last.row - 1);
    }
    last = next;
  }
}

/**
 * Reads what {@link writePositions} writes. Throws `ORT_BLOB` for positions outside the box, or a box that is
 * too large.
 */
export function readPositions(input: ByteReader, box: Box, count: number): readonly Position[] {
  if (AXES.some((axis) => box.max[axis] - box.min[axis] > 2 ** LEAF_LEVEL_MAX)) {
    throw input.fail("ORT_BLOB", `a volume from [${box.min}] to [${box.max}]`);
  }
  const grid = gridOf(box);
  const bounds = new Bounds();
  const positions: Position[] = [];
  let last = BEFORE_FIRST;
  for (let index = 0; index < count; index++) {
    last = grid.isWide ? readWide(input, last) : readNarrow(input, grid, last);
    if (last.column >= grid.columns || last.row >= grid.rows) {
      throw input.fail("ORT_BLOB", `chunk ${index} of ${count} is outside of its volume`);
    }
    const position = positionOf(grid, last);
    bounds.add(position);
    positions.push(position);
  }
  if (!boxEquals(bounds.box(), box)) throw input.fail("ORT_BLOB", "a volume larger than its chunks");
  return positions;
}

/** A box as a table: one column per pair of x and y, one row per pair of z and w. */
interface Grid {
  readonly min: Position;
  readonly extents: Position;
  readonly columns: number;
  readonly rows: number;
  /** Whether the index of a position in the box may exceed the safe integers. */
  readonly isWide: boolean;
}

/** Location of a position in the table. Lexicographic order compares columns, then rows. */
interface Spot {
  readonly column: number;
  readonly row: number;
}

/** The spot before the first one, so that the first gap equals its index. */
const BEFORE_FIRST: Spot = { column: 0, row: -1 };

function gridOf(box: Box): Grid {
  const extents = boxExtents(box);
  const columns = extents[0] * extents[1];
  const rows = extents[2] * extents[3];
  return { min: box.min, extents, columns, rows, isWide: columns * rows > Number.MAX_SAFE_INTEGER };
}

function spotOf({ min, extents }: Grid, [x, y, z, w]: Position): Spot {
  return {
    column: (x - min[0]) * extents[1] + y - min[1],
    row: (z - min[2]) * extents[3] + w - min[3],
  };
}

function positionOf({ min, extents }: Grid, { column, row }: Spot): Position {
  return [
    min[0] + Math.floor(column / extents[1]),
    min[1] + (column % extents[1]),
    min[2] + Math.floor(row / extents[3]),
    min[3] + (row % extents[3]),
  ];
}

function readNarrow(input: ByteReader, { rows }: Grid, { column, row }: Spot): Spot {
  const next = row + 1 + input.varUint();
  return { column: column + Math.floor(next / rows), row: next % rows };
}

function readWide(input: ByteReader, { column, row }: Spot): Spot {
  const columnGap = input.varU32();
  const rowGap = input.varU32();
  return { column: column + columnGap, row: columnGap === 0 ? row + 1 + rowGap : rowGap };
}
