const PRIME_LOW = 0x1b3; // the prime is 2^40 + 0x1b3

/** Returns the 64-bit FNV-1a hash. It tells versions apart and spreads keys, but resists no attacker. */
export function hash64(bytes: Uint8Array): bigint {
  let high = 0xcbf2_9ce4;
  let low = 0x8422_2325;
  for (const byte of bytes) {
    low = (low ^ byte) >>> 0;
    const product = low * PRIME_LOW; // below 2^41, so exact
    high = (Math.imul(high, PRIME_LOW) + (low << 8) + Math.floor(product / 0x1_0000_0000)) >>> 0;
    low = product >>> 0;
  }
  return (BigInt(high) << 32n) | BigInt(low);
}
