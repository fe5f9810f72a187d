import { NOT_STORED } from "../part/voxel-part.ts";

/** Unpacked indices into a palette, and how many were beyond it. */
export interface UnpackedIndices {
  readonly indices: Uint16Array;
  readonly beyond: number;
}

/** Returns the bits of an index into a palette of `length` states. */
export function bitsFor(length: number, bitsMin: number): number {
  return Math.max(bitsMin, length <= 1 ? 0 : 32 - Math.clz32(length - 1));
}

/** Returns the longs that `count` indices of `bits` take. */
export function longsFor(count: number, bits: number, crossLongs: boolean): number {
  return crossLongs ? Math.ceil((count * bits) / 64) : Math.ceil(count / Math.floor(64 / bits));
}

/**
 * Unpacks `count` indices of `bits` bits from big-endian longs, lowest bits first; the caller has compared the number
 * of longs with {@link longsFor}. With `crossLongs`, an index may begin in one long and end in the next.
 */
export function unpackIndices(
  longs: DataView,
  count: number,
  bits: number,
  crossLongs: boolean,
  paletteLength: number,
): UnpackedIndices {
  const indices = new Uint16Array(count);
  // Where indices fill longs exactly, both layouts are the same.
  if (crossLongs && 64 % bits !== 0) unpackAcross(longs, bits, indices);
  else unpackWithin(longs, bits, indices);
  return { indices, beyond: markBeyond(indices, paletteLength) };
}

function unpackWithin(longs: DataView, bits: number, indices: Uint16Array): void {
  const mask = 2 ** bits - 1;
  const count = indices.length;
  let at = 0;
  for (let offset = 0; at < count; offset += 8) {
    const high = longs.getUint32(offset);
    const low = longs.getUint32(offset + 4);
    let bit = 0;
    for (; bit + bits <= 32 && at < count; bit += bits) indices[at++] = (low >>> bit) & mask;
    if (bit < 32 && bit + bits <= 64 && at < count) {
      indices[at++] = ((low >>> bit) | (high << (32 - bit))) & mask;
      bit += bits;
    }
    for (bit -= 32; bit >= 0 && bit + bits <= 32 && at < count; bit += bits) {
      indices[at++] = (high >>> bit) & mask;
    }
  }
}

function unpackAcross(longs: DataView, bits: number, indices: Uint16Array): void {
  const mask = 2 ** bits - 1;
  // Words of 32 bits in the order of their bits: the second half of each long comes first.
  let word = 0;
  let shift = 0;
  let current = wordAt(longs, 0);
  for (let at = 0; at < indices.length; at++) {
    let value = current >>> shift;
    shift += bits;
    if (shift >= 32) {
      shift -= 32;
      current = wordAt(longs, ++word);
      if (shift > 0) value |= current << (bits - shift);
    }
    indices[at] = value & mask;
  }
}

function wordAt(longs: DataView, word: number): number {
  const offset = (word ^ 1) * 4;
  return offset < longs.byteLength ? longs.getUint32(offset) : 0;
}

function markBeyond(indices: Uint16Array, paletteLength: number): number {
  let beyond = 0;
  for (let at = 0; at < indices.length; at++) {
    if ((indices[at] as number) < paletteLength) continue;
    indices[at] = NOT_STORED;
    beyond++;
  }
  return beyond;
}
