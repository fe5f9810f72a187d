import type { LeafEntry } from "../codec/leaf-entry.ts";

/** Sums over the content of leaves. */
export interface IndexTotals {
  readonly leaves: number;
  /** Without those of uncounted leaves. */
  readonly chunks: number;
  /** Number of leaves with an unknown number of chunks, from an index that does not record it. */
  readonly uncounted: number;
  readonly clocks: number;
  /** Bytes of all records, including their headers. */
  readonly recordBytes: number;
}

/** Totals of no leaves. */
const NO_TOTALS: IndexTotals = { leaves: 0, chunks: 0, uncounted: 0, clocks: 0, recordBytes: 0 };

/** Returns the totals of one leaf. */
export function totalsOfLeaf({ chunks, clocks, chunkRefs, entityRefs }: LeafEntry): IndexTotals {
  let recordBytes = 0;
  for (const ref of chunkRefs) recordBytes += ref.recordBytes;
  for (const ref of entityRefs) recordBytes += ref.recordBytes;
  const uncounted = chunkRefs.length > 0 && chunks === 0 ? 1 : 0;
  return { leaves: 1, chunks, uncounted, clocks: clocks.length, recordBytes };
}

/** Adds up totals. */
export function sumTotals(parts: Iterable<IndexTotals>): IndexTotals {
  const sum = { ...NO_TOTALS };
  for (const { leaves, chunks, uncounted, clocks, recordBytes } of parts) {
    sum.leaves += leaves;
    sum.chunks += chunks;
    sum.uncounted += uncounted;
    sum.clocks += clocks;
    sum.recordBytes += recordBytes;
  }
  return sum;
}
