import { crc32 } from "@orthant/core/bytes";

const HEADER_BYTES = 60;
const CRC_OFFSET = 56;

/** Fills in the checksum of the body of a tree index. */
export function sealIndex(bytes: Uint8Array): Uint8Array {
  const sealed = bytes.slice();
  new DataView(sealed.buffer).setUint32(CRC_OFFSET, crc32(sealed.subarray(HEADER_BYTES)), true);
  return sealed;
}
