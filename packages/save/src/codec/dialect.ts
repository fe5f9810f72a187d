import { crc32, decode } from "@orthant/core";
import { flatIndexHeader, indexHeader } from "./layout.ts";

/** `tree` is the specification as written, which we use; `flat` is what the original program shipped. */
export type Dialect = "tree" | "flat";

const FLAT_INDEX_VERSION = 1;

/**
 * Returns the dialect of an index file, which begins with the same magic in both. A flat index is exactly as
 * long as its header says. A tree can have that length by chance, if its generation equals its length; then
 * the checksums decide. Rule S9. Throws if the file is not an index.
 */
export function dialectOfIndex(bytes: Uint8Array): Dialect {
  const { version, payloadBytes, payloadCrc32 } = decode(
    flatIndexHeader,
    bytes.subarray(0, flatIndexHeader.bytes),
  );
  if (version !== FLAT_INDEX_VERSION) return "tree";
  const payload = bytes.subarray(flatIndexHeader.bytes);
  if (payload.length === payloadBytes && crc32(payload) === payloadCrc32) return "flat";
  if (isWholeTree(bytes)) return "tree";
  // Damaged either way. A tree stores the high half of its generation where a flat index has its checksum.
  return payload.length === payloadBytes || payloadCrc32 !== 0 ? "flat" : "tree";
}

/** Returns the version of an index file of either dialect. The file must be at least as long as a header. */
export function versionOfIndex(bytes: Uint8Array): number {
  return decode(flatIndexHeader, bytes.subarray(0, flatIndexHeader.bytes)).version;
}

function isWholeTree(bytes: Uint8Array): boolean {
  if (bytes.length < indexHeader.bytes) return false;
  // Does not decode the header: in a flat index the generation there is not a safe integer.
  const view = new DataView(bytes.buffer, bytes.byteOffset);
  return view.getUint32(indexHeader.offsets.payloadCrc32, true) === crc32(bytes.subarray(indexHeader.bytes));
}
