import { boxContains, type Place } from "@orthant/core";
import type { BlobRef, BlockEntry, LeafEntry, Save } from "@orthant/formats";

/** The leaf of the index that holds a chunk. Leaves of a flat save need not be aligned, so all are looked at. */
export function findLeaf({ leaves }: Pick<Save, "leaves">, chunk: Place): LeafEntry | undefined {
  return leaves.find(({ cell }) => boxContains(cell, chunk));
}

/** The block records of the leaf that holds a chunk, each with what it says. */
export async function recordsOf(
  save: Save,
  chunk: Place,
): Promise<readonly { readonly ref: BlobRef; readonly blocks: readonly BlockEntry[] }[]> {
  const leaf = findLeaf(save, chunk);
  const records: { ref: BlobRef; blocks: readonly BlockEntry[] }[] = [];
  for (const ref of leaf?.blockRefs ?? []) {
    if (leaf !== undefined)
      records.push({ ref, blocks: await save.readBlocks({ ...leaf, blockRefs: [ref] }) });
  }
  return records;
}
