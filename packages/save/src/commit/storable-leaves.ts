import type { IndexVersion, LeafEntry } from "../leaves/leaf-entry.ts";

/** Returns leaves as an index of a version can store them: version 1 has no clocks, nor leaves that have only clocks. */
export function storableLeaves(
  leaves: readonly LeafEntry[],
  version: IndexVersion,
): { readonly leaves: readonly LeafEntry[]; readonly droppedClocks: number } {
  if (version !== 1) return { leaves, droppedClocks: 0 };
  return {
    leaves: leaves
      .filter(({ chunkRefs, entityRefs }) => chunkRefs.length + entityRefs.length > 0)
      .map((leaf) => ({ ...leaf, clocks: [] })),
    droppedClocks: leaves.reduce((sum, { clocks }) => sum + clocks.length, 0),
  };
}
