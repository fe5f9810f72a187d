import { type Box, boxBetween, cubeAt } from "./box.ts";
import { floorDivide, type Position, positionFrom } from "./position.ts";

/** Chunks along each edge of a region. */
export const REGION_EDGE_CHUNKS = 4;

/** Returns the region that a chunk belongs to. */
export function regionOf(chunk: Position): Position {
  return [
    floorDivide(chunk[0], REGION_EDGE_CHUNKS),
    floorDivide(chunk[1], REGION_EDGE_CHUNKS),
    floorDivide(chunk[2], REGION_EDGE_CHUNKS),
    floorDivide(chunk[3], REGION_EDGE_CHUNKS),
  ];
}

/** Returns the chunks of a region. */
export function regionBox(region: Position): Box {
  return cubeAt(
    positionFrom((axis) => region[axis] * REGION_EDGE_CHUNKS),
    REGION_EDGE_CHUNKS,
  );
}

/** Returns the box of regions that a box of chunks touches. Iterate over it with `positionsLexicographic`. */
export function regionsTouching({ min, max }: Box): Box {
  return boxBetween(
    regionOf(min),
    positionFrom((axis) => floorDivide(max[axis] - 1, REGION_EDGE_CHUNKS) + 1),
  );
}

/** Returns the chunks of a box of regions. */
export function chunksOfRegions({ min, max }: Box): Box {
  return {
    min: positionFrom((axis) => min[axis] * REGION_EDGE_CHUNKS),
    max: positionFrom((axis) => max[axis] * REGION_EDGE_CHUNKS),
  };
}

/** Returns the smallest box of whole regions that contains a box of chunks. */
export function roundOutToRegions(chunks: Box): Box {
  return chunksOfRegions(regionsTouching(chunks));
}
