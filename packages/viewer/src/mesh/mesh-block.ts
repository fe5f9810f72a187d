import { AIR, type Chunk, type ChunkShape, floorDivide, floorModulo, type Position } from "@orthant/core";
import type { ScenePoint, Slice } from "../slice/slice.ts";

/** Voxels that are drawn together, with a border of one voxel on each side; right varies fastest. */
export interface Volume {
  /** Voxels on each axis, without the border. */
  readonly size: ScenePoint;
  /** The block of each voxel, including the border. */
  readonly blocks: Uint16Array;
}

/** Number of voxels in a volume of this size, including the border. */
function paddedLength([right, up, back]: ScenePoint): number {
  return (right + 2) * (up + 2) * (back + 2);
}

/** Returns a volume of air. */
export function emptyVolume(size: ScenePoint): Volume {
  return { size, blocks: new Uint16Array(paddedLength(size)) };
}

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

/** A slice's part of a chunk: a single block, or one per voxel, with right varying fastest, then up. */
export type ChunkCut = number | Uint16Array;

/** Returns the cut of a chunk. */
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
export interface MeshBlockGrid {
  /** Voxels of a chunk on each axis of the scene. */
  readonly chunk: ScenePoint;
  /** Chunks of a mesh block on each axis of the scene. */
  readonly chunks: ScenePoint;
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

/** Returns a chunk's cut by its scene position; `undefined` while the chunk is unknown. */
export type CutAt = (right: number, up: number, back: number) => ChunkCut | undefined;

/** Result of filling a volume: filled, nothing but air, or partly unknown. */
export type Filling = "filled" | "air" | "unknown";

/** Fills a volume with a mesh block and the voxels around it. Writes nothing for an empty or unknown mesh block. */
export function fillMeshBlock(
  grid: MeshBlockGrid,
  meshBlock: ScenePoint,
  cutAt: CutAt,
  into: Volume,
): Filling {
  const { chunk, chunks, size } = grid;
  const cuts: ChunkCut[] = [];
  for (let b = -1; b <= chunks[2]; b++)
    for (let u = -1; u <= chunks[1]; u++)
      for (let r = -1; r <= chunks[0]; r++) {
        const cut = cutAt(
          meshBlock[0] * chunks[0] + r,
          meshBlock[1] * chunks[1] + u,
          meshBlock[2] * chunks[2] + b,
        );
        if (cut === undefined) return "unknown";
        cuts.push(cut);
      }
  if (cuts.every((cut) => cut === AIR)) return "air";
  let index = 0;
  for (let b = -1; b <= chunks[2]; b++)
    for (let u = -1; u <= chunks[1]; u++)
      for (let r = -1; r <= chunks[0]; r++) {
        const corner: ScenePoint = [r * chunk[0], u * chunk[1], b * chunk[2]];
        copyCut(cuts[index++] as ChunkCut, corner, chunk, size, into.blocks);
      }
  return "filled";
}

function copyCut(
  cut: ChunkCut,
  [cornerRight, cornerUp, cornerBack]: ScenePoint,
  chunk: ScenePoint,
  size: ScenePoint,
  blocks: Uint16Array,
): void {
  const rowLength = size[0] + 2;
  const layerLength = rowLength * (size[1] + 2);
  // Of the neighbouring chunks, only the adjacent voxels count.
  const fromRight = Math.max(0, -1 - cornerRight);
  const toRight = Math.min(chunk[0], size[0] + 1 - cornerRight);
  const toUp = Math.min(chunk[1], size[1] + 1 - cornerUp);
  const toBack = Math.min(chunk[2], size[2] + 1 - cornerBack);
  for (let b = Math.max(0, -1 - cornerBack); b < toBack; b++)
    for (let u = Math.max(0, -1 - cornerUp); u < toUp; u++) {
      const to =
        cornerRight + fromRight + 1 + (cornerUp + u + 1) * rowLength + (cornerBack + b + 1) * layerLength;
      if (typeof cut === "number") {
        blocks.fill(cut, to, to + toRight - fromRight);
      } else {
        const from = fromRight + chunk[0] * (u + chunk[1] * b);
        for (let r = 0; r < toRight - fromRight; r++) blocks[to + r] = cut[from + r] as number;
      }
    }
}
