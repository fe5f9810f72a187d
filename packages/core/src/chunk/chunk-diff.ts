import { requireInteger } from "../bytes/integers.ts";
import type { Chunk, VoxelEdit } from "./chunk.ts";

/** Returns the edits that turn one chunk into another, ordered by index. */
export function diffChunks(before: Chunk, after: Chunk): readonly VoxelEdit[] {
  requireInteger(after.volume, before.volume, before.volume);
  if (before === after) return [];
  const edits: VoxelEdit[] = [];
  for (let index = 0; index < before.volume; index++) {
    const block = after.get(index);
    if (block !== before.get(index)) edits.push({ index, block });
  }
  return edits;
}
