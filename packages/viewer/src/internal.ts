export { BRUSH_RADIUS_MAX, type Brush, brushPlacements } from "./edit/edit.ts";
export { addVoxel, emptyColumns, type MapTileColumns, paintMapTile } from "./map/map-tile.ts";
export {
  differenceOf,
  fillMeshBlock,
  type MeshBlockGrid,
  meshBlockAt,
  meshBlockGrid,
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
