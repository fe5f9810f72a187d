import type { ByteReader } from "../bytes/byte-reader.ts";
import { findIndexFrom, indexAt, indexBits, type PackedIndices } from "./packed-indices.ts";

/** This many indices fill whole words at any width. */
const SLAB = 64;

/**
 * Finds where each palette entry first appears. Throws `ORT_CHUNK_PALETTE` unless all entries appear, in
 * order, and no index is out of range. Rules C7 and C11.
 */
export function findFirstPositions(
  input: ByteReader,
  packed: PackedIndices,
  firsts: Uint16Array,
  volume: number,
  paletteLength: number,
): void {
  const bitWidth = indexBits(paletteLength);
  // Once every entry has been seen, an index can only be invalid if the bits can express more than the
  // palette holds.
  const mayGoBeyond = paletteLength < 1 << bitWidth;
  let seen = 0;
  for (let first = 0; first < volume && (mayGoBeyond || seen < paletteLength); first += SLAB) {
    // Buildings repeat from layer to layer, and a repeated layer has nothing new.
    const end = Math.min(first + SLAB, volume);
    if (first > 0 && end - first === SLAB && repeatsSlab(packed, bitWidth, first)) continue;
    let position = findIndexFrom(packed, bitWidth, end, first, seen);
    while (position < end) {
      const index = indexAt(packed, bitWidth, position);
      if (index > seen || index >= paletteLength) {
        throw input.fail("ORT_CHUNK_PALETTE", `index ${index} after ${seen} of ${paletteLength} blocks`);
      }
      firsts[seen++] = position;
      if (!mayGoBeyond && seen === paletteLength) return;
      position = findIndexFrom(packed, bitWidth, end, position + 1, seen);
    }
  }
  if (seen < paletteLength) {
    throw input.fail("ORT_CHUNK_PALETTE", `${paletteLength} blocks of which ${seen} occur`);
  }
}

/** Whether a slab has the same indices as the previous one. */
function repeatsSlab(packed: PackedIndices, bitWidth: number, first: number): boolean {
  const halves = bitWidth * 2;
  const start = (first / SLAB) * halves;
  for (let half = start; half < start + halves; half++) {
    if (packed[half] !== packed[half - halves]) return false;
  }
  return true;
}
