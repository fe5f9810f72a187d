/**
 * Meshes, ray casts and moving boxes, to draw and walk in a world.
 *
 * @module @orthant/mesh
 */

export {
  buildMesh,
  type ChunkMesh,
  type MeshOptions,
  type MeshSource,
} from "./build-mesh.ts";
export { castRay, type Face, RAY_DISTANCE_MAX, type RayHit, type RayOptions } from "./cast-ray.ts";
export { findPath, type Path, type PathOptions } from "./find-path.ts";
export type { MeshArrays } from "./mesh-arrays.ts";
export { type BodyMove, type BodyOptions, type MovingBody, moveBody } from "./move-body.ts";
export {
  BOX_EDGE_MAX,
  BOX_EDGE_MIN,
  BOX_MOTION_MAX,
  type BoxMove,
  type MoveOptions,
  type MovingBox,
  moveBox,
} from "./move-box.ts";
export { type AppearanceOptions, BlockAppearance } from "./volume/block-appearance.ts";
export type { PointLike, VoxelReader } from "./voxel-reader.ts";
