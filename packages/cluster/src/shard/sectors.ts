import { type Box, type ChunkShape, OrthantError, type Position, type Vector } from "@orthant/core";
import {
  boxBetween,
  chunksOfVoxels,
  floorDivide,
  positionFrom,
  REGION_EDGE_CHUNKS,
  regionsTouching,
  voxelsOfChunks,
} from "@orthant/core/lattice";

/** Regions along each edge of a sector, the unit of subscriptions and of shards. */
const SECTOR_EDGE_REGIONS = 4;
/** Chunks along each edge of a sector. */
export const SECTOR_EDGE_CHUNKS: number = SECTOR_EDGE_REGIONS * REGION_EDGE_CHUNKS;
const POSITION_NAME = /^(0|-?[1-9]\d{0,9})_(0|-?[1-9]\d{0,9})_(0|-?[1-9]\d{0,9})_(0|-?[1-9]\d{0,9})$/;

/** Returns the sector of a region. Rule K2. */
export function sectorOfRegion(region: Position): Position {
  return positionFrom((axis) => floorDivide(region[axis], SECTOR_EDGE_REGIONS));
}

/** Returns the name of a sector or region: its four coordinates joined by `_`. Rule K3. */
export function nameOfPosition(position: Position): string {
  return position.join("_");
}

/**
 * Parses the name of a sector or region. Throws `ORT_ARGUMENT` for any spelling that {@link nameOfPosition} does
 * not produce.
 */
export function positionOfName(name: string): Position {
  const parts = POSITION_NAME.exec(name);
  if (parts === null) throw new OrthantError("ORT_ARGUMENT", `${JSON.stringify(name)} names no position`);
  return positionFrom((axis) => Number(parts[axis + 1]));
}

/** Returns the sectors that a box of voxels touches. */
export function sectorsTouching(shape: ChunkShape, voxels: Box): Box {
  const { min, max } = regionsTouching(chunksOfVoxels(shape, voxels));
  const last = sectorOfRegion(positionFrom((axis) => max[axis] - 1));
  return boxBetween(
    sectorOfRegion(min),
    positionFrom((axis) => last[axis] + 1),
  );
}

/** Returns the region of a point, in voxels. */
export function regionOfPoint({ extents }: ChunkShape, point: Vector): Position {
  return positionFrom((axis) => Math.floor(point[axis] / (extents[axis] * REGION_EDGE_CHUNKS)));
}

/** Returns the sector of a position. */
export function sectorOfPosition({ extents }: ChunkShape, position: Position): Position {
  return positionFrom((axis) => Math.floor(position[axis] / (extents[axis] * SECTOR_EDGE_CHUNKS)));
}

/** Returns the voxels of a box of sectors. */
export function voxelsOfSectors(shape: ChunkShape, sectors: Box): Box {
  return voxelsOfChunks(shape, chunksOfSectors(sectors));
}

/** Returns the chunks of a box of sectors. */
export function chunksOfSectors({ min, max }: Box): Box {
  return boxBetween(
    positionFrom((axis) => min[axis] * SECTOR_EDGE_CHUNKS),
    positionFrom((axis) => max[axis] * SECTOR_EDGE_CHUNKS),
  );
}
