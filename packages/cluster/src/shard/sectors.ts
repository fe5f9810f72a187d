import {
  type Box,
  boxBetween,
  type ChunkShape,
  chunksOfVoxels,
  type Position,
  positionFrom,
  REGION_EDGE_CHUNKS,
  regionsTouching,
  voxelsOfChunks,
} from "@orthant/core";
import { SECTOR_EDGE_REGIONS, sectorOfRegion } from "./names.ts";

const SECTOR_EDGE_CHUNKS = SECTOR_EDGE_REGIONS * REGION_EDGE_CHUNKS;

/** Returns the sectors that a box of voxels touches. */
export function sectorsTouching(shape: ChunkShape, voxels: Box): Box {
  const { min, max } = regionsTouching(chunksOfVoxels(shape, voxels));
  const last = sectorOfRegion(positionFrom((axis) => max[axis] - 1));
  return boxBetween(
    sectorOfRegion(min),
    positionFrom((axis) => last[axis] + 1),
  );
}

/** Returns the sector of a position. */
export function sectorOfPosition({ extents }: ChunkShape, position: Position): Position {
  return positionFrom((axis) => Math.floor(position[axis] / (extents[axis] * SECTOR_EDGE_CHUNKS)));
}

/** Returns the voxels of a box of sectors. */
export function voxelsOfSectors(shape: ChunkShape, { min, max }: Box): Box {
  const chunks = boxBetween(
    positionFrom((axis) => min[axis] * SECTOR_EDGE_CHUNKS),
    positionFrom((axis) => max[axis] * SECTOR_EDGE_CHUNKS),
  );
  return voxelsOfChunks(shape, chunks);
}
