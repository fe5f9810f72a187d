import type { RecordRef } from "./blob.ts";
import { blobFormatOf, TABLE_BLOBS } from "./blob-format.ts";

/** Size by which leaves are measured: the uncompressed bytes of a chunk blob, and its number of chunks. */
export interface BlobSize {
  readonly bytes: number;
  readonly chunks: number;
}

/** Sizes of records that were written or read. The index does not store them, and a record never changes. */
const known = new WeakMap<RecordRef, BlobSize>();

/** Remembers the size of a record's blob for as long as its reference lives. */
export function rememberSize(ref: RecordRef, size: BlobSize): void {
  known.set(ref, size);
}

/** Returns the size of a record's blob, or an estimate with 0 chunks if it was neither written nor read. */
export function blobSizeOf(ref: RecordRef): BlobSize {
  const { guessedRatio } = blobFormatOf(ref.blobVersion) ?? TABLE_BLOBS;
  return known.get(ref) ?? { bytes: ref.recordBytes * guessedRatio, chunks: 0 };
}
