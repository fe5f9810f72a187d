/** Returns the length of the varint of a 16-bit or 32-bit value. */
export function varU32Bytes(value: number): number {
  return bytesOfBits(32 - Math.clz32(value));
}

/** Returns the length of the varint of a 64-bit value, given as two halves. */
export function varU64Bytes(low32: number, high32: number): number {
  return high32 === 0 ? varU32Bytes(low32) : bytesOfBits(64 - Math.clz32(high32));
}

/** Returns the number of seven-bit groups for `bits`, at least one. Up to 64, 9/64 is a division by 7. */
function bytesOfBits(bits: number): number {
  return (bits * 9 + 64) >>> 6;
}
