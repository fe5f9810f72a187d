import type { ByteReader } from "../bytes/byte-reader.ts";
import { findIndexFrom, indexAt, indexBits, type PackedIndices } from "./packed-indices.ts";

/** So many indices fill whole words, whatever their width. */
const SLAB = 64;

/**
 * Finds where each palette entry appears first; they all have to, in their order, and no index may be beyond them.
 * `ORT_CHUNK_PALETTE` otherwise. Rules C7 and C11.
 */
export function findFirstPositions(
  input: ByteReader,
  packed: PackedIndices,
  firsts: Uint16Array,
  volume: number,
  paletteLength: number,
): void {
  const bitWidth = indexBits(paletteLength);
  // Once every entry was seen, an index can only be wrong if the bits can say more than the palette holds.
  const mayGoBeyond = paletteLength < 1 << bitWidth;
  let seen = 0;
  for (let first = 0; first < volume && (mayGoBeyond || seen < paletteLength); first += SLAB) {
    // What people build repeats itself from layer to layer, and then there is nothing new.
    const end = Math.min(first + SLAB, volume);
    if (first > 0 && end - first === SLAB && repeatsSlab(packed, bitWidth, first)) continue;
    let position = findIndexFrom(packed, bitWidth, end, first, seen);
    while (position < end) {
      const index = indexAt(packed, bitWidth, position);
      if (index > seen || index >= paletteLength) {
        throw input.fail("ORT_CHUNK_PALETTE", `index ${index} after ${seen} of ${paletteLength} materials`);
      }
      firsts[seen++] = position;
      if (!mayGoBeyond && seen === paletteLength) return;
      position = findIndexFrom(packed, bitWidth, end, position + 1, seen);
    }
  }
  if (seen < paletteLength) {
    throw input.fail("ORT_CHUNK_PALETTE", `${paletteLength} materials of which ${seen} occur`);
  }
}

/** Whether the indices of a slab are those of the slab before it. */
function repeatsSlab(packed: PackedIndices, bitWidth: number, first: number): boolean {
  const halves = bitWidth * 2;
  const start = (first / SLAB) * halves;
  for (let half = start; half < start + halves; half++) {
    if (packed[half] !== packed[half - halves]) return false;
  }
  return true;
}
