import { type Box, floorDivide, intersectBoxes, type Place, placeFrom, WHOLE_LATTICE } from "@orthant/core";

/** The region of a flat save that a chunk lies in. Its edge, in chunks, need not be a power of two. */
export function flatRegionOf(chunk: Place, edge: number): Place {
  return placeFrom((axis) => floorDivide(chunk[axis], edge));
}

/** The chunks of a region of a flat save, also where they are off the lattice. */
export function flatRegionCell(region: Place, edge: number): Box {
  const min = placeFrom((axis) => region[axis] * edge);
  return { min, max: placeFrom((axis) => min[axis] + edge) };
}

/** The chunks of a region of a flat save that are on the lattice; `undefined` where none is. */
export function flatRegionBox(region: Place, edge: number): Box | undefined {
  return intersectBoxes(flatRegionCell(region, edge), WHOLE_LATTICE);
}
