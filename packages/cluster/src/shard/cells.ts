import {
  type Box,
  boxBetween,
  type ChunkShape,
  chunksOfVoxels,
  placeFrom,
  REGION_EDGE_CHUNKS,
  regionsTouching,
  voxelsOfChunks,
} from "@orthant/core";
import { CELL_EDGE_REGIONS, cellOfRegion } from "./names.ts";

/** The cells that a box of voxels lies in, wholly or in part. */
export function cellsTouching(shape: ChunkShape, voxels: Box): Box {
  const { min, max } = regionsTouching(chunksOfVoxels(shape, voxels));
  const last = cellOfRegion(placeFrom((axis) => max[axis] - 1));
  return boxBetween(
    cellOfRegion(min),
    placeFrom((axis) => last[axis] + 1),
  );
}

/** The voxels of a box of cells. */
export function voxelsOfCells(shape: ChunkShape, { min, max }: Box): Box {
  const edge = CELL_EDGE_REGIONS * REGION_EDGE_CHUNKS;
  const chunks = boxBetween(
    placeFrom((axis) => min[axis] * edge),
    placeFrom((axis) => max[axis] * edge),
  );
  return voxelsOfChunks(shape, chunks);
}
