import { crc32, decode } from "@orthant/core";
import { flatIndexHeader, indexHeader } from "./layout.ts";

const FLAT_INDEX_VERSION = 1;

/**
 * Returns whether an index file is one of the original program, which has the same magic and version numbers.
 * A flat index is exactly as long as its header says. An index of ours can have that length by chance, if its
 * generation equals its length; then the checksums decide. Rule S9. Throws if the file is not an index.
 */
export function isFlatIndex(bytes: Uint8Array): boolean {
  const { version, payloadBytes, payloadCrc32 } = decode(
    flatIndexHeader,
    bytes.subarray(0, flatIndexHeader.bytes),
  );
  if (version !== FLAT_INDEX_VERSION) return false;
  const payload = bytes.subarray(flatIndexHeader.bytes);
  if (payload.length === payloadBytes && crc32(payload) === payloadCrc32) return true;
  if (isWholeTree(bytes)) return false;
  // Damaged either way. A tree stores the high half of its generation where a flat index has its checksum.
  return payload.length === payloadBytes || payloadCrc32 !== 0;
}

/** Returns the version of an index file, which must be at least as long as a flat header. */
export function versionOfIndex(bytes: Uint8Array): number {
  return decode(flatIndexHeader, bytes.subarray(0, flatIndexHeader.bytes)).version;
}

function isWholeTree(bytes: Uint8Array): boolean {
  if (bytes.length < indexHeader.bytes) return false;
  // Does not decode the header: in a flat index the generation there is not a safe integer.
  const view = new DataView(bytes.buffer, bytes.byteOffset);
  return view.getUint32(indexHeader.offsets.payloadCrc32, true) === crc32(bytes.subarray(indexHeader.bytes));
}
