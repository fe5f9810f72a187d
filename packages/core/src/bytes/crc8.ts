const POLYNOMIAL = 0x07;
const table = buildTable();

/** Returns the CRC-8 (polynomial 0x07, initial value 0, not reflected) of the bytes; 0 for a run of zeros. */
export function crc8(bytes: Uint8Array): number {
  let crc = 0;
  for (const byte of bytes) crc = table[crc ^ byte] ?? 0;
  return crc;
}

function buildTable(): Uint8Array {
  return Uint8Array.from({ length: 256 }, (_, byte) => {
    let remainder = byte;
    for (let bit = 0; bit < 8; bit++)
      remainder = (remainder << 1) ^ (remainder & 0x80 ? 0x100 | POLYNOMIAL : 0);
    return remainder;
  });
}
