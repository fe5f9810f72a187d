const POLYNOMIAL = 0x82f6_3b78;
const table = buildTable();

/** Returns the CRC-32C (Castagnoli, reflected) of `bytes`. */
export function crc32c(bytes: Uint8Array): number {
  let crc = -1;
  for (const byte of bytes) crc = (crc >>> 8) ^ (table[(crc ^ byte) & 0xff] ?? 0);
  return ~crc >>> 0;
}

function buildTable(): Int32Array {
  return Int32Array.from({ length: 256 }, (_, byte) => {
    let remainder = byte;
    for (let bit = 0; bit < 8; bit++) remainder = (remainder >>> 1) ^ (remainder & 1 ? POLYNOMIAL : 0);
    return remainder;
  });
}
