/**
 * Reads a varint, four bytes at a time, into two halves and returns its length, or 0 for a padded one or one
 * above 64 bits. Requires ten readable bytes at `offset`.
 */
export function fastVarint64(view: DataView, offset: number, halves: Uint32Array, at: number): number {
  const first = view.getInt32(offset, true);
  const firstEnds = ~first & 0x8080_8080;
  if (firstEnds !== 0) {
    // All bits up to the one that ends the varint.
    const value = joinGroups(first & (firstEnds ^ (firstEnds - 1)));
    const bytes = (32 - Math.clz32(firstEnds & -firstEnds)) >>> 3;
    if (bytes > 1 && value >>> (7 * (bytes - 1)) === 0) return 0;
    halves[at] = value;
    halves[at + 1] = 0;
    return bytes;
  }
  const low = joinGroups(first);
  const second = view.getInt32(offset + 4, true);
  const secondEnds = ~second & 0x8080_8080;
  if (secondEnds !== 0) {
    const middle = joinGroups(second & (secondEnds ^ (secondEnds - 1)));
    const bytes = (32 - Math.clz32(secondEnds & -secondEnds)) >>> 3;
    if (middle >>> (7 * (bytes - 1)) === 0) return 0;
    halves[at] = low | (middle << 28);
    halves[at + 1] = middle >>> 4;
    return 4 + bytes;
  }
  const middle = joinGroups(second);
  const ninth = view.getUint8(offset + 8);
  const tenth = ninth < 0x80 ? 0 : view.getUint8(offset + 9);
  if (ninth === 0 || (ninth >= 0x80 && tenth !== 1)) return 0;
  halves[at] = low | (middle << 28);
  halves[at + 1] = (middle >>> 4) | ((ninth & 0x7f) << 24) | (tenth << 31);
  return ninth < 0x80 ? 9 : 10;
}

/** The 28 bits in four bytes of a varint. */
function joinGroups(bytes: number): number {
  return (
    (bytes & 0x7f) | ((bytes >>> 1) & 0x3f80) | ((bytes >>> 2) & 0x1f_c000) | ((bytes >>> 3) & 0xfe0_0000)
  );
}
