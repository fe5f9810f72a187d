import { PACKED_BLOB_VERSION } from "../layout.ts";
import type { BlobRef } from "./blob-ref.ts";

/** What leaves are measured by: the bytes of a block blob before it is compressed, and how many blocks it has. */
export interface BlobSize {
  readonly bytes: number;
  readonly blocks: number;
}

/** What compression is taken for where nobody looked. */
const GUESSED_RATIO = 8;

/** Of records that were written or read. It is not in the index, and a record never changes. */
const known = new WeakMap<BlobRef, BlobSize>();

/** Keeps the size of a record's blob for as long as its reference lives. */
export function rememberSize(ref: BlobRef, size: BlobSize): void {
  known.set(ref, size);
}

/** The size of a record's blob; a guess, with no blocks, when it was neither written nor read. */
export function blobSizeOf(ref: BlobRef): BlobSize {
  const { blobVersion, recordBytes } = ref;
  const ratio = blobVersion === PACKED_BLOB_VERSION ? GUESSED_RATIO : 1;
  return known.get(ref) ?? { bytes: recordBytes * ratio, blocks: 0 };
}
