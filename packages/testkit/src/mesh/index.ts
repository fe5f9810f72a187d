/**
 * Slow and plain meshers, to compare the one of `@orthant/mesh` with.
 *
 * @module @orthant/testkit/mesh
 */

export { GreedyMesher, type VertexMesh } from "./greedy-mesher.ts";
export { randomVolume } from "./random-volume.ts";
export { type Surface, surfaceDifference, surfaceOfQuads, surfaceOfVertices } from "./surfaces.ts";
