import { crc32, decode } from "@orthant/core";
import { flatIndexHeader, indexHeader } from "./layout.ts";

/** `tree` is the specification as it was written, ours; `flat` is what the original program shipped. */
export type Dialect = "tree" | "flat";

const FLAT_INDEX_VERSION = 1;

/**
 * The dialect of an index file, which begins with the same magic in both. A flat one is exactly as long as its
 * header says. A tree can be that long by chance, when its generation is its length; then the checksums decide.
 * Rule S9. Throws when the file is no index at all.
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
  // Damaged either way. The high half of a tree's generation lies where a flat index has its checksum.
  return payload.length === payloadBytes || payloadCrc32 !== 0 ? "flat" : "tree";
}

/** The version that an index file says, whatever its dialect. The file is at least as long as a header. */
export function versionOfIndex(bytes: Uint8Array): number {
  return decode(flatIndexHeader, bytes.subarray(0, flatIndexHeader.bytes)).version;
}

function isWholeTree(bytes: Uint8Array): boolean {
  if (bytes.length < indexHeader.bytes) return false;
  // Not by decoding the header: a flat index has a generation there that is no safe integer.
  const view = new DataView(bytes.buffer, bytes.byteOffset);
  return view.getUint32(indexHeader.offsets.payloadCrc32, true) === crc32(bytes.subarray(indexHeader.bytes));
}
