import { type Codec, list } from "@orthant/core";

/** Location of a record in the packs, and the values that identify it. */
export interface BlobRef {
  readonly dataFileId: number;
  /** Offset of its header in the pack. */
  readonly recordOffset: number;
  /** Size of the record including its header. */
  readonly recordBytes: number;
  /** Checksum of its payload, equal to the one in its header. */
  readonly recordCrc32: number;
  readonly blobType: number;
  readonly blobVersion: number;
}

/** Maximum number of references of one kind in a leaf. */
export const REFS_PER_LEAF_MAX = 65_536;

/** Codec of one reference. Rule S27. */
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

/** Codec of the references of one kind in a leaf. */
export const blobRefsCodec: Codec<readonly BlobRef[]> = list(blobRefCodec, REFS_PER_LEAF_MAX);

/** Orders records by the time they were written: by pack, then by offset. */
export function compareAge(one: BlobRef, other: BlobRef): number {
  return one.dataFileId - other.dataFileId || one.recordOffset - other.recordOffset;
}

/** Returns whether two references point to the same record. */
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
