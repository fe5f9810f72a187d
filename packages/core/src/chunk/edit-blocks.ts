import { type Box, boxContains } from "../lattice/box.ts";
import type { ChunkShape } from "../lattice/chunk-shape.ts";
import { positionInChunk } from "../lattice/chunk-shape.ts";
import { getOrAdd } from "../lattice/get-or-add.ts";
import type { BlockCatalog } from "./block-catalog.ts";
import type { Chunk, VoxelEdit } from "./chunk.ts";
import type { VoxelDataEdit } from "./voxel-data.ts";

/**
 * A voxel of a chunk, its new block, if any, and its new data: bytes, or `null` to remove what it has. Without either, its
 * data stays when the new block is of the same type, and goes otherwise.
 */
export interface BlockEdit {
  /** The voxel index, with x running fastest. */
  readonly index: number;
  readonly block?: number | undefined;
  readonly data?: Uint8Array | null | undefined;
}

/** Whether two blocks differ only in their properties, so that the data of a voxel survives the change. */
export type IsSameType = (a: number, b: number) => boolean;

const sameTypes = new WeakMap<BlockCatalog, IsSameType>();

/** Returns how the blocks of a catalog compare; always the same function for a catalog. */
export function sameTypeIn(blocks: BlockCatalog): IsSameType {
  const isSameType = getOrAdd(sameTypes, blocks, () => (a, b) => {
    if (a === b) return true;
    const type = blocks.byId(a);
    return type !== undefined && type === blocks.byId(b);
  });
  return isSameType;
}

/** Applies edits to a chunk, one after the other, and decides what becomes of its data. */
export function editBlocks(chunk: Chunk, edits: readonly BlockEdit[], isSameType: IsSameType): Chunk {
  const edited = chunk.edit(edits.every(hasBlock) ? edits : edits.filter(hasBlock));
  if (chunk.data.size === 0 && !edits.some(({ data }) => data instanceof Uint8Array)) return edited;
  const reached = new Map<number, { readonly block: number; readonly data: Uint8Array | undefined }>();
  for (const { index, block, data } of edits) {
    const before = reached.get(index) ?? { block: chunk.get(index), data: chunk.data.at(index) };
    const after = block ?? before.block;
    const stays = data === undefined && isSameType(before.block, after);
    reached.set(index, { block: after, data: stays ? before.data : (data ?? undefined) });
  }
  return edited.editData(Array.from(reached, ([index, { data }]) => ({ index, data })));
}

function hasBlock(edit: BlockEdit): edit is BlockEdit & VoxelEdit {
  return edit.block !== undefined;
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
  const gone: VoxelDataEdit[] = [];
  chunk.data.forEachLength((index) => {
    if (boxContains(box, positionInChunk(shape, index)) && !isSameType(chunk.get(index), block))
      gone.push({ index, data: undefined });
  });
  return gone.length === 0 ? filled : filled.editData(gone);
}
