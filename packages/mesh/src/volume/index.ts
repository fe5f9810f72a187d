/**
 * Meshes of volumes that are not the chunks of a world, such as slices.
 *
 * @module @orthant/mesh/volume
 */

export { INVISIBLE, OPAQUE, TRANSPARENT } from "./block-appearance.ts";
export {
  ALL_SIDES,
  COLOUR_BYTES,
  GreedyMesher,
  meshBytes,
  NO_QUADS,
  POSITION_NUMBERS,
  type QuadMesh,
  quadCount,
  type VolumeMesh,
  type VolumeMeshOptions,
} from "./greedy-mesher.ts";
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
