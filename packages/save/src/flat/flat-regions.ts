import {
  type Box,
  floorDivide,
  intersectBoxes,
  type Position,
  positionFrom,
  WHOLE_LATTICE,
} from "@orthant/core";

/** Returns the flat-save region that contains a chunk. Its edge, in chunks, need not be a power of two. */
export function flatRegionOf(chunk: Position, edge: number): Position {
  return positionFrom((axis) => floorDivide(chunk[axis], edge));
}

/** Returns the chunks of a flat-save region, including those off the lattice. */
export function flatRegionCell(region: Position, edge: number): Box {
  const min = positionFrom((axis) => region[axis] * edge);
  return { min, max: positionFrom((axis) => min[axis] + edge) };
}

/** Returns the chunks of a flat-save region that are on the lattice; `undefined` if there are none. */
export function flatRegionBox(region: Position, edge: number): Box | undefined {
  return intersectBoxes(flatRegionCell(region, edge), WHOLE_LATTICE);
}
