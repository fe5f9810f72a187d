import type { ChunkShape } from "@orthant/core";
import { floorDivide } from "@orthant/core/lattice";
import {
  type CutAt,
  chunkSizeIn,
  type Filling,
  fillVolume,
  type Volume,
  type VolumeChunks,
} from "@orthant/mesh/volume";
import type { ScenePoint, Slice } from "../slice/slice.ts";

/**
 * Writes into `into` the voxels of `beside` where `here` has air: what a visitor would meet in the
 * neighbouring slice. Returns whether there are any.
 */
export function differenceOf(beside: Volume, here: Volume, into: Volume): boolean {
  let isAny = 0;
  const { blocks } = into;
  for (let index = 0; index < blocks.length; index++) {
    const block = here.blocks[index] === 0 ? (beside.blocks[index] as number) : 0;
    blocks[index] = block;
    isAny |= block;
  }
  return isAny !== 0;
}

/**
 * Voxels along the edge of a mesh block, which is one draw call: small enough to mesh again after an edit, large
 * enough to keep draw calls few.
 */
export const MESH_BLOCK_EDGE_VOXELS = 32;
/** Chunks along the edge of a mesh block; at most those of a region. */
const MESH_BLOCK_EDGE_CHUNKS_MAX = 4;

/** Divides a slice of a world into mesh blocks. Each mesh block is one draw call. */
export interface MeshBlockGrid extends VolumeChunks {
  /** Voxels of a mesh block on each axis of the scene. */
  readonly size: ScenePoint;
}

/** Returns the mesh block grid of a slice. */
export function meshBlockGrid(shape: ChunkShape, slice: Slice): MeshBlockGrid {
  const chunk = chunkSizeIn(shape, slice);
  const chunks = chunk.map((edge) =>
    Math.max(1, Math.min(MESH_BLOCK_EDGE_CHUNKS_MAX, Math.floor(MESH_BLOCK_EDGE_VOXELS / edge))),
  ) as unknown as ScenePoint;
  return { chunk, chunks, size: [chunk[0] * chunks[0], chunk[1] * chunks[1], chunk[2] * chunks[2]] };
}

/** Returns the mesh block that contains a point of the scene. */
export function meshBlockAt({ size }: MeshBlockGrid, point: ScenePoint): ScenePoint {
  return [
    floorDivide(Math.floor(point[0]), size[0]),
    floorDivide(Math.floor(point[1]), size[1]),
    floorDivide(Math.floor(point[2]), size[2]),
  ];
}

/** Fills a volume with a mesh block and the voxels around it. Writes nothing for an empty or unknown mesh block. */
export function fillMeshBlock(
  grid: MeshBlockGrid,
  meshBlock: ScenePoint,
  cutAt: CutAt,
  into: Volume,
): Filling {
  const { chunks } = grid;
  const first: ScenePoint = [meshBlock[0] * chunks[0], meshBlock[1] * chunks[1], meshBlock[2] * chunks[2]];
  return fillVolume(grid, first, cutAt, into);
}
