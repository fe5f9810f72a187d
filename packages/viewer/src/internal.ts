export { BRUSH_RADIUS_MAX, type Brush, brushVoxels, castRay, EditHistory, type RayHit } from "./edit/edit.ts";
export { addVoxel, emptyColumns, type MapTileColumns, paintMapTile } from "./map/map-tile.ts";
export { type BlockAppearance, blockAppearance } from "./mesh/block-appearance.ts";
export { GreedyMesher, meshBytes, type QuadMesh, quadCount, type VolumeMesh } from "./mesh/greedy-mesher.ts";
export {
  type ChunkCut,
  type CutAt,
  chunkOfScene,
  cutChunk,
  differenceOf,
  emptyVolume,
  type Filling,
  fillMeshBlock,
  type MeshBlockGrid,
  meshBlockAt,
  meshBlockGrid,
  type Volume,
} from "./mesh/mesh-block.ts";
export {
  axesOf,
  canSweep,
  firstSlice,
  isFlat,
  type MapPlane,
  mapPlane,
  nearestInside,
  presenceAt,
  type ScenePoint,
  type Slice,
  sliceHiding,
  sweepTowards,
  toScene,
  toWorld,
  turned,
  voxelAt,
} from "./slice/slice.ts";
