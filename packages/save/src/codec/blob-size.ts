import type { BlobRef } from "./blob-ref.ts";
import { PACKED_BLOB_VERSION } from "./layout.ts";

/** Size by which leaves are measured: the uncompressed bytes of a chunk blob, and its number of chunks. */
export interface BlobSize {
  readonly bytes: number;
  readonly chunks: number;
}

/** Assumed compression ratio of a blob that was not read. */
const GUESSED_RATIO = 8;

/** Sizes of records that were written or read. The index does not store them, and a record never changes. */
const known = new WeakMap<BlobRef, BlobSize>();

/** Remembers the size of a record's blob for as long as its reference lives. */
export function rememberSize(ref: BlobRef, size: BlobSize): void {
  known.set(ref, size);
}

/** Returns the size of a record's blob, or an estimate with 0 chunks if it was neither written nor read. */
export function blobSizeOf(ref: BlobRef): BlobSize {
  const { blobVersion, recordBytes } = ref;
  const ratio = blobVersion === PACKED_BLOB_VERSION ? GUESSED_RATIO : 1;
  return known.get(ref) ?? { bytes: recordBytes * ratio, chunks: 0 };
}
