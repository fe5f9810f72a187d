import { boxAt, type Position } from "@orthant/core";
import type { BlobRef, ChunkEntry, LeafEntry, Save } from "@orthant/save";

/** Returns the leaf of the index that holds a chunk. */
export async function findLeaf({ index }: Save, chunk: Position): Promise<LeafEntry | undefined> {
  await index.load(boxAt(chunk));
  return index.find(chunk);
}

/** Returns the chunk records of the leaf that holds a chunk, each with its content. */
export async function recordsOf(
  save: Save,
  chunk: Position,
): Promise<readonly { readonly ref: BlobRef; readonly chunks: readonly ChunkEntry[] }[]> {
  const leaf = await findLeaf(save, chunk);
  const records: { ref: BlobRef; chunks: readonly ChunkEntry[] }[] = [];
  for (const ref of leaf?.chunkRefs ?? []) {
    if (leaf !== undefined)
      records.push({ ref, chunks: await save.readChunks({ ...leaf, chunkRefs: [ref] }) });
  }
  return records;
}
