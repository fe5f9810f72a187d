/**
 * Meshes of volumes that are not the chunks of a world, such as slices.
 *
 * @module @orthant/mesh/volume
 */

export { INVISIBLE, OPAQUE, TRANSPARENT } from "./block-appearance.ts";
export { decodeMaterial, MATERIAL_WORDS, type Material, MaterialTable } from "./material-table.ts";
export {
  decodeQuad,
  LIGHT_FULL,
  MODEL_BIT,
  NO_QUADS,
  QUAD_WORDS,
  type Quad,
  type QuadList,
  quadCorners,
  quadCount,
  SIDE_FRAMES,
  type SideFrame,
  SUNKEN_VOXELS,
  TEMPLATE_NUMBERS,
  VOLUME_EDGE_MAX,
} from "./quads.ts";
export { TemplateTable } from "./template-table.ts";
export {
  type ChunkCut,
  type CutAt,
  emptyVolume,
  type Filling,
  fillVolume,
  type Volume,
  type VolumeChunks,
  type VolumePoint,
} from "./volume.ts";
export { ALL_SIDES, type VolumeMesh, VolumeMesher, type VolumeMeshOptions } from "./volume-mesher.ts";
export { chunkInSlice, chunkSizeIn, cutChunk, type VolumeSlice, XYZ } from "./volume-slice.ts";
