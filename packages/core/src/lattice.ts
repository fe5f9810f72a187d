/**
 * Positions, boxes and regions of four axes, for code that serves worlds of any number of dimensions. It trusts its
 * arguments.
 *
 * @module @orthant/core/lattice
 */

export { Axes } from "./lattice/axes.ts";
export {
  boxAt,
  boxBetween,
  boxCodec,
  boxContains,
  boxContainsBox,
  boxEquals,
  boxExtents,
  boxesIntersect,
  boxVolume,
  clampInto,
  cubeAt,
  intersectBoxes,
  positionCodec,
  positionsLexicographic,
  positionsMinorToMajor,
  subtractBox,
  unionBox,
  WHOLE_LATTICE,
} from "./lattice/box.ts";
export {
  axisOutside,
  CHUNK_VOXELS_MAX,
  chunkOfVoxel,
  chunksOfVoxels,
  clipToAxes,
  indexInChunk,
  pointOnAxes,
  requireShape,
  voxelIndex,
  voxelOfIndex,
  voxelsOfChunks,
} from "./lattice/chunk-shape.ts";
export { getOrAdd } from "./lattice/get-or-add.ts";
export {
  AXES,
  AXIS_NAMES,
  comparePositions,
  floorDivide,
  floorModulo,
  positionFrom,
  positionsEqual,
  requireLatticePosition,
} from "./lattice/position.ts";
export { PositionMap, PositionSet, type RandomBits, systemRandomBits } from "./lattice/position-map.ts";
export {
  chunksOfRegions,
  REGION_EDGE_CHUNKS,
  regionBox,
  regionOf,
  regionsTouching,
  roundOutToRegions,
} from "./lattice/region.ts";
