import { nodeZlib } from "./node-zlib.ts";

const POLYNOMIAL = 0xedb8_8320;
const STRIDE_BYTES = 16;
/** Sixteen tables of 256: table n advances a byte's remainder by n further zero bytes. */
const table = buildTable();

/**
 * Returns the CRC-32 (IEEE 802.3, reflected, as in zlib) of the bytes. Pass an earlier result as `previous`
 * to continue from it. Uses the platform's implementation if there is one, else `portableCrc32`.
 */
export const crc32: (bytes: Uint8Array, previous?: number) => number = nodeZlib()?.crc32 ?? portableCrc32;

/** Returns the same checksum as {@link crc32} without help from the platform, sixteen bytes per step. */
export function portableCrc32(bytes: Uint8Array, previous = 0): number {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const strideEnd = bytes.length - (bytes.length % STRIDE_BYTES);
  let crc = ~previous;
  for (let offset = 0; offset < strideEnd; offset += STRIDE_BYTES) {
    crc =
      advance(crc ^ view.getInt32(offset, true), 12) ^
      advance(view.getInt32(offset + 4, true), 8) ^
      advance(view.getInt32(offset + 8, true), 4) ^
      advance(view.getInt32(offset + 12, true), 0);
  }
  for (let offset = strideEnd; offset < bytes.length; offset++) {
    crc = (crc >>> 8) ^ entry((crc ^ view.getUint8(offset)) & 0xff);
  }
  return ~crc >>> 0;
}

/** Returns the remainder of four bytes after `zeroBytes` more bytes. */
function advance(word: number, zeroBytes: number): number {
  const first = zeroBytes * 256;
  return (
    entry(first + (word >>> 24)) ^
    entry(first + 256 + ((word >>> 16) & 0xff)) ^
    entry(first + 512 + ((word >>> 8) & 0xff)) ^
    entry(first + 768 + (word & 0xff))
  );
}

function entry(index: number): number {
  return table[index] ?? 0;
}

function buildTable(): Int32Array {
  const built = new Int32Array(STRIDE_BYTES * 256);
  for (let byte = 0; byte < 256; byte++) {
    let remainder = byte;
    for (let bit = 0; bit < 8; bit++) remainder = (remainder >>> 1) ^ (remainder & 1 ? POLYNOMIAL : 0);
    built[byte] = remainder;
  }
  for (let index = 256; index < built.length; index++) {
    const shorter = built[index - 256] ?? 0;
    built[index] = (shorter >>> 8) ^ (built[shorter & 0xff] ?? 0);
  }
  return built;
}
