export { BRUSH_RADIUS_MAX, type Brush, brushPlacements } from "./edit/edit.ts";
export { engineBuilder } from "./edit/engine-builder.ts";
export { WorldBuilder } from "./edit/world-builder.ts";
export { addVoxel, emptyColumns, type MapTileColumns, paintMapTile } from "./map/map-tile.ts";
export {
  boxOfCorners,
  boxText,
  copiesOf,
  middleOf,
  moved,
  planeOf,
  sizeText,
  stretched,
  visibleSides,
} from "./slice/boxes.ts";
export {
  axesOf,
  canSweep,
  firstSlice,
  isFlat,
  type MapPlane,
  mapPlane,
  nearestInside,
  type ScenePoint,
  type Slice,
  sliceHiding,
  toScene,
  toWorld,
  turned,
  voxelAt,
} from "./slice/slice.ts";
