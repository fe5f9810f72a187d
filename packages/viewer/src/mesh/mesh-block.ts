import type { Chunk, ChunkShape, Position } from "@orthant/core";
import { floorDivide, floorModulo } from "@orthant/core/lattice";
import {
  type ChunkCut,
  type CutAt,
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

/** Returns a slice's part of a chunk, with right varying fastest, then up. */
export function cutChunk(chunk: Chunk, shape: ChunkShape, slice: Slice): ChunkCut {
  const uniform = chunk.uniformBlock;
  if (uniform !== undefined) return uniform;
  const { extents } = shape;
  const strides = [1, extents[0], extents[0] * extents[1], extents[0] * extents[1] * extents[2]] as const;
  const { right, up, back, hidden, at } = slice;
  const voxels = chunk.voxels();
  const cut = new Uint16Array(extents[right] * extents[up] * extents[back]);
  let index = 0;
  let first = 0;
  let differs = false;
  const depth = floorModulo(at, extents[hidden]) * strides[hidden];
  for (let b = 0; b < extents[back]; b++)
    for (let u = 0; u < extents[up]; u++) {
      let from = depth + b * strides[back] + u * strides[up];
      for (let r = 0; r < extents[right]; r++, from += strides[right]) {
        const block = voxels[from] as number;
        if (index === 0) first = block;
        else if (block !== first) differs = true;
        cut[index++] = block;
      }
    }
  return differs ? cut : first;
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
export function meshBlockGrid({ extents }: ChunkShape, { right, up, back }: Slice): MeshBlockGrid {
  const chunk: ScenePoint = [extents[right], extents[up], extents[back]];
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

/** Converts the scene position of a chunk, in chunks, to its world position in the slice. */
export function chunkOfScene({ extents }: ChunkShape, slice: Slice, [right, up, back]: ScenePoint): Position {
  const position: [number, number, number, number] = [0, 0, 0, 0];
  position[slice.right] = right;
  position[slice.up] = up;
  position[slice.back] = back;
  position[slice.hidden] = floorDivide(slice.at, extents[slice.hidden]);
  return position;
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
