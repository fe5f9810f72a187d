import {
  ByteReader,
  ByteWriter,
  type Codec,
  deflateRaw,
  deflateRawOffThread,
  inflateRaw,
  inflateRawOffThread,
  list,
} from "@orthant/core/bytes";

/** Location of a record in the packs, and the values that identify it. */
export interface RecordRef {
  readonly packId: number;
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
export const recordRefCodec: Codec<RecordRef> = {
  write(out, ref) {
    out.varU32(ref.packId);
    out.varUint(ref.recordOffset);
    out.varU32(ref.recordBytes);
    out.varU32(ref.recordCrc32);
    out.u8(ref.blobType);
    out.varU16(ref.blobVersion);
  },

  read: (input) => ({
    packId: input.varU32(),
    recordOffset: input.varUint(),
    recordBytes: input.varU32(),
    recordCrc32: input.varU32(),
    blobType: input.u8(),
    blobVersion: input.varU16(),
  }),
};

/** Codec of the references of one kind in a leaf. */
export const recordRefsCodec: Codec<readonly RecordRef[]> = list(recordRefCodec, REFS_PER_LEAF_MAX);

/** Orders records by the time they were written: by pack, then by offset. */
export function compareAge(one: RecordRef, other: RecordRef): number {
  return one.packId - other.packId || one.recordOffset - other.recordOffset;
}

/** Returns whether two references point to the same record. */
export function isSameRef(a: RecordRef, b: RecordRef): boolean {
  return (
    a.packId === b.packId &&
    a.recordOffset === b.recordOffset &&
    a.recordBytes === b.recordBytes &&
    a.recordCrc32 === b.recordCrc32 &&
    a.blobType === b.blobType &&
    a.blobVersion === b.blobVersion
  );
}

const STORED = 0;
const DEFLATED = 1;
const METHODS = 2;
/** Room for the method and the length, each as the longest varint. */
const HEAD_BYTES_MAX = 20;

/**
 * Encodes the payload of a record of version 2 or 3: its content, compressed where that is shorter, on another thread if
 * `isOffThread`. Rules S70 to S72.
 */
export async function sealBlob(inner: Uint8Array, isOffThread = false): Promise<Uint8Array> {
  const deflated = await (isOffThread ? deflateRawOffThread(inner) : deflateRaw(inner));
  const isShorter = deflated.length < inner.length;
  const content = isShorter ? deflated : inner;
  const out = new ByteWriter(HEAD_BYTES_MAX + content.length);
  out.tag(isShorter ? DEFLATED : STORED, METHODS);
  out.varUint(inner.length);
  out.raw(content);
  return out.view();
}

/**
 * Returns the content of such a payload: exactly the declared number of bytes, and at most `bytesMax`,
 * which is checked before allocating. Returns a view when the content is not compressed; inflates on another thread if
 * `isOffThread`.
 */
export function openBlob(
  payload: Uint8Array,
  bytesMax: number,
  origin = 0,
  isOffThread = false,
): Uint8Array | Promise<Uint8Array> {
  const input = new ByteReader(payload, { origin });
  const method = input.tag(METHODS);
  const innerBytes = input.varUint();
  if (innerBytes > bytesMax) {
    throw input.fail("ORT_LIMIT", `a blob of ${innerBytes} bytes, the limit is ${bytesMax}`);
  }
  if (method === STORED) {
    const inner = input.view(innerBytes);
    input.end();
    return inner;
  }
  if (input.remaining >= innerBytes) {
    throw input.fail("ORT_BLOB", `${innerBytes} bytes compressed to ${input.remaining}`);
  }
  return (isOffThread ? inflateRawOffThread : inflateRaw)(input.view(input.remaining), innerBytes);
}
