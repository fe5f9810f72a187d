export { BRUSH_RADIUS_MAX, type Brush, brushVoxels } from "./edit/brush.ts";
export { castRay, type RayHit } from "./edit/cast-ray.ts";
export { EditHistory } from "./edit/edit-history.ts";
export { emptyColumns, type MapTileColumns, paintMapTile, takeVoxel } from "./map/map-tile.ts";
export { type BlockLooks, blockLooks } from "./mesh/block-looks.ts";
export { type ChunkCut, cutChunk } from "./mesh/chunk-cut.ts";
export { GreedyMesher, type VolumeMesh } from "./mesh/greedy-mesher.ts";
export {
  type CutAt,
  chunkOfScene,
  type Filling,
  fillMeshBlock,
  type MeshBlockGrid,
  meshBlockAt,
  meshBlockGrid,
} from "./mesh/mesh-block.ts";
export { meshBytes, type QuadMesh, quadCount } from "./mesh/quad-list.ts";
export { differenceOf, emptyVolume, type Volume } from "./mesh/volume.ts";
export { isFlat, type MapPlane, mapPlane } from "./slice/map-plane.ts";
export {
  axesOf,
  canSweep,
  firstSlice,
  nearestInside,
  type ScenePoint,
  type Slice,
  sliceHiding,
  toScene,
  toWorld,
  turned,
  voxelAt,
} from "./slice/slice.ts";
export { presenceAt, sweepTowards } from "./slice/sweep.ts";
