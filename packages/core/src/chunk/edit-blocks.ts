import { type Box, boxContains } from "../lattice/box.ts";
import type { ChunkShape } from "../lattice/chunk-shape.ts";
import { positionInChunk } from "../lattice/chunk-shape.ts";
import type { BlockCatalog } from "./block-catalog.ts";
import type { Chunk, VoxelEdit } from "./chunk.ts";
import type { VoxelDataEdit } from "./voxel-data.ts";

/**
 * A voxel of a chunk, its new block and its new data: bytes, or `null` to remove what it has. Without either, its data
 * stays when the new block is of the same type, and goes otherwise.
 */
export interface BlockEdit extends VoxelEdit {
  readonly data?: Uint8Array | null | undefined;
}

/** Whether two blocks differ only in their properties, so that the data of a voxel survives the change. */
export type IsSameType = (a: number, b: number) => boolean;

/** Returns how the blocks of a catalog compare. */
export function sameTypeIn(blocks: BlockCatalog): IsSameType {
  return (a, b) => {
    if (a === b) return true;
    const type = blocks.byId(a);
    return type !== undefined && type === blocks.byId(b);
  };
}

/** Applies edits to a chunk and decides what becomes of its data. The last edit for a voxel wins. */
export function editBlocks(chunk: Chunk, edits: readonly BlockEdit[], isSameType: IsSameType): Chunk {
  const edited = chunk.edit(edits);
  const isPlain = edits.every(({ data }) => data === undefined || data === null);
  if (chunk.data.size === 0 && isPlain) return edited;
  const changes = new Map<number, VoxelDataEdit>();
  for (const { index, block, data } of edits) {
    const stays = data === undefined && isSameType(chunk.get(index), block);
    if (stays) changes.delete(index);
    else changes.set(index, { index, data: data ?? undefined });
  }
  return edited.editData([...changes.values()]);
}

/** Fills a box of a chunk, relative to its corner, and removes the data of blocks of other types. */
export function fillBlocks(
  chunk: Chunk,
  shape: ChunkShape,
  box: Box,
  block: number,
  isSameType: IsSameType,
): Chunk {
  const filled = chunk.fill(shape, box, block);
  const gone = chunk.data.entries.filter(
    ({ index }) => boxContains(box, positionInChunk(shape, index)) && !isSameType(chunk.get(index), block),
  );
  return gone.length === 0 ? filled : filled.editData(gone.map(({ index }) => ({ index, data: undefined })));
}
