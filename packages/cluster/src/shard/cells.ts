import {
  type Box,
  boxBetween,
  type ChunkShape,
  chunksOfVoxels,
  type Place,
  placeFrom,
  REGION_EDGE_CHUNKS,
  regionsTouching,
  voxelsOfChunks,
} from "@orthant/core";
import { CELL_EDGE_REGIONS, cellOfRegion } from "./names.ts";

const CELL_EDGE_CHUNKS = CELL_EDGE_REGIONS * REGION_EDGE_CHUNKS;

/** Returns the cells that a box of voxels touches. */
export function cellsTouching(shape: ChunkShape, voxels: Box): Box {
  const { min, max } = regionsTouching(chunksOfVoxels(shape, voxels));
  const last = cellOfRegion(placeFrom((axis) => max[axis] - 1));
  return boxBetween(
    cellOfRegion(min),
    placeFrom((axis) => last[axis] + 1),
  );
}

/** Returns the cell of a position. */
export function cellOfPosition({ extents }: ChunkShape, position: Place): Place {
  return placeFrom((axis) => Math.floor(position[axis] / (extents[axis] * CELL_EDGE_CHUNKS)));
}

/** Returns the voxels of a box of cells. */
export function voxelsOfCells(shape: ChunkShape, { min, max }: Box): Box {
  const chunks = boxBetween(
    placeFrom((axis) => min[axis] * CELL_EDGE_CHUNKS),
    placeFrom((axis) => max[axis] * CELL_EDGE_CHUNKS),
  );
  return voxelsOfChunks(shape, chunks);
}
