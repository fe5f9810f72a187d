import { type Box, floorDivide, intersectBoxes, type Place, placeFrom, WHOLE_LATTICE } from "@orthant/core";

/** Returns the flat-save region that contains a chunk. Its edge, in chunks, need not be a power of two. */
export function flatRegionOf(chunk: Place, edge: number): Place {
  return placeFrom((axis) => floorDivide(chunk[axis], edge));
}

/** Returns the chunks of a flat-save region, including those off the lattice. */
export function flatRegionCell(region: Place, edge: number): Box {
  const min = placeFrom((axis) => region[axis] * edge);
  return { min, max: placeFrom((axis) => min[axis] + edge) };
}

/** Returns the chunks of a flat-save region that are on the lattice; `undefined` if there are none. */
export function flatRegionBox(region: Place, edge: number): Box | undefined {
  return intersectBoxes(flatRegionCell(region, edge), WHOLE_LATTICE);
}
