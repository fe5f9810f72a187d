import { type Codec, list } from "@orthant/core";

/** Where a record lies, and how to know it again. */
export interface BlobRef {
  readonly dataFileId: number;
  /** Where its header begins in the pack. */
  readonly recordOffset: number;
  /** Bytes of the record with its header. */
  readonly recordBytes: number;
  /** The checksum of its payload, the same that its header has. */
  readonly recordCrc32: number;
  readonly blobType: number;
  readonly blobVersion: number;
}

/** The most references of one kind in a leaf. */
export const REFS_PER_LEAF_MAX = 65_536;

/** One reference. Both dialects have the same bytes for it. Rule S27. */
export const blobRefCodec: Codec<BlobRef> = {
  write(out, ref) {
    out.varU32(ref.dataFileId);
    out.varUint(ref.recordOffset);
    out.varU32(ref.recordBytes);
    out.varU32(ref.recordCrc32);
    out.u8(ref.blobType);
    out.varU16(ref.blobVersion);
  },

  read: (input) => ({
    dataFileId: input.varU32(),
    recordOffset: input.varUint(),
    recordBytes: input.varU32(),
    recordCrc32: input.varU32(),
    blobType: input.u8(),
    blobVersion: input.varU16(),
  }),
};

/** The references of one kind in a leaf. */
export const blobRefsCodec: Codec<readonly BlobRef[]> = list(blobRefCodec, REFS_PER_LEAF_MAX);

/** Orders records by when they were written: packs come one after the other, each from its beginning. */
export function compareAge(one: BlobRef, other: BlobRef): number {
  return one.dataFileId - other.dataFileId || one.recordOffset - other.recordOffset;
}

/** Whether two references mean the same record. */
export function isSameRef(a: BlobRef, b: BlobRef): boolean {
  return (
    a.dataFileId === b.dataFileId &&
    a.recordOffset === b.recordOffset &&
    a.recordBytes === b.recordBytes &&
    a.recordCrc32 === b.recordCrc32 &&
    a.blobType === b.blobType &&
    a.blobVersion === b.blobVersion
  );
}
