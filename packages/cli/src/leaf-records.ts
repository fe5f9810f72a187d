import { boxAt, type Position } from "@orthant/core";
import type { BlobRef, BlockEntry, LeafEntry, Save } from "@orthant/save";

/** Returns the leaf of the index that holds a chunk. */
export async function findLeaf({ index }: Save, chunk: Position): Promise<LeafEntry | undefined> {
  await index.load(boxAt(chunk));
  return index.find(chunk);
}

/** Returns the block records of the leaf that holds a chunk, each with its content. */
export async function recordsOf(
  save: Save,
  chunk: Position,
): Promise<readonly { readonly ref: BlobRef; readonly blocks: readonly BlockEntry[] }[]> {
  const leaf = await findLeaf(save, chunk);
  const records: { ref: BlobRef; blocks: readonly BlockEntry[] }[] = [];
  for (const ref of leaf?.blockRefs ?? []) {
    if (leaf !== undefined)
      records.push({ ref, blocks: await save.readBlocks({ ...leaf, blockRefs: [ref] }) });
  }
  return records;
}
