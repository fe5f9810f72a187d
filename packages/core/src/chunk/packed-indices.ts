import type { ByteReader } from "../bytes/byte-reader.ts";
import { CHUNK_VOXELS_MAX } from "../lattice/chunk-shape.ts";

/**
 * Small numbers of equal width, packed from the lowest bit upwards into 64-bit words. Each word is stored as
 * two 32-bit halves, the low one first. A number may span two words.
 */
export type PackedIndices = Uint32Array;

/** Maximum width of an index; a palette has at most 65,536 entries. */
export const INDEX_BITS_MAX = 16;

/** Neighbours are processed together up to this many bits, while a lookup table for them is still small. */
const JOINED_BITS_MAX = 8;

/** For each width, a one in each lane that fits into 32 bits. */
const LANE_ONES = Int32Array.from({ length: INDEX_BITS_MAX + 1 }, (_, bitWidth) => {
  let ones = 0;
  for (let bit = 0; bitWidth > 0 && bit + bitWidth <= 32; bit += bitWidth) ones |= 1 << bit;
  return ones;
});

/** Returns the number of bits that distinguish the entries of a palette; 0 for a single entry. */
export function indexBits(paletteLength: number): number {
  return 32 - Math.clz32(paletteLength - 1);
}

/** Returns the number of 64-bit words that hold `count` indices. */
export function wordCount(count: number, bitWidth: number): number {
  return Math.ceil((count * bitWidth) / 64);
}

/** Returns the index at a position, which is not checked. */
export function indexAt(packed: PackedIndices, bitWidth: number, position: number): number {
  const bit = position * bitWidth;
  const half = bit >>> 5;
  const shift = bit & 31;
  let value = (packed[half] as number) >>> shift;
  if (shift + bitWidth > 32) value |= (packed[half + 1] as number) << (32 - shift);
  return value & ((1 << bitWidth) - 1);
}

/** Overwrites the index at a position, which is not checked. */
export function replaceIndex(packed: PackedIndices, bitWidth: number, position: number, index: number): void {
  const bit = position * bitWidth;
  const half = bit >>> 5;
  const shift = bit & 31;
  const mask = (1 << bitWidth) - 1;
  packed[half] = ((packed[half] as number) & ~(mask << shift)) | (index << shift);
  const bitsBefore = 32 - shift; // bits left in the first half
  if (bitWidth > bitsBefore) {
    packed[half + 1] = ((packed[half + 1] as number) & ~(mask >>> bitsBefore)) | (index >>> bitsBefore);
  }
}

/** Returns how many indices fit into 32 bits. */
export function lanesOf(bitWidth: number): number {
  return (32 / bitWidth) | 0;
}

/** Returns as many indices from a position on as fit into 32 bits, the first one lowest. */
export function lanesAt(packed: PackedIndices, bitWidth: number, position: number): number {
  const bit = position * bitWidth;
  const half = bit >>> 5;
  const shift = bit & 31;
  let word = (packed[half] as number) >>> shift;
  if (shift > 0) word |= (packed[half + 1] as number) << (32 - shift);
  const bits = lanesOf(bitWidth) * bitWidth;
  return bits === 32 ? word | 0 : word & ((1 << bits) - 1);
}

/** Returns an index as often as it fits into 32 bits, as {@link lanesAt} returns it. */
export function repeatedIndex(index: number, bitWidth: number): number {
  return Math.imul(LANE_ONES[bitWidth] as number, index);
}

/**
 * Finds the positions at which two arrays of equal width differ, 32 bits at once, and writes them to `positions`, ascending.
 * Returns how many there are. All bits behind the last of `count` indices must be zero in `after`.
 */
export function findDifferences(
  before: PackedIndices,
  after: PackedIndices,
  bitWidth: number,
  count: number,
  positions: Uint32Array,
): number {
  // Exact below 2^20 bits, and much faster than a division.
  const share = 1 / bitWidth;
  let found = 0;
  /** Bits that belong to an index which was found in the half before. */
  let seen = 0;
  for (let half = 0; half < after.length; half++) {
    let differing = ((before[half] as number) ^ (after[half] as number)) & ~seen;
    seen = 0;
    while (differing !== 0) {
      const bit = half * 32 + 31 - Math.clz32(differing & -differing);
      const position = ((bit + 0.5) * share) | 0;
      if (position >= count) return found;
      positions[found++] = position;
      const end = (position + 1) * bitWidth - half * 32;
      if (end < 32) differing &= -1 << end;
      else {
        differing = 0;
        seen = (1 << (end - 32)) - 1;
      }
    }
  }
  return found;
}

/** Room for the indices of the largest chunk. */
const repeated: PackedIndices = new Uint32Array((CHUNK_VOXELS_MAX * INDEX_BITS_MAX) / 32);

/** Returns an index over and over, in at least `halves` elements. The array is valid until the next call. */
export function repeatedIndices(index: number, bitWidth: number, halves: number): PackedIndices {
  if (32 % bitWidth === 0) return repeated.fill(repeatedIndex(index, bitWidth), 0, halves);
  // After as many elements as an index has bits, they repeat.
  repeated.set(packIndices(new Uint16Array(32).fill(index), 32, bitWidth));
  for (let length = bitWidth; length < halves; length *= 2) repeated.copyWithin(length, 0, length);
  return repeated;
}

/** Packs the first `count` indices. */
export function packIndices(indices: Uint16Array, count: number, bitWidth: number): PackedIndices {
  const packed = new Uint32Array(wordCount(count, bitWidth) * 2);
  let half = 0;
  let bits = 0;
  let bitCount = 0;
  for (let position = 0; position < count; position++) {
    const index = indices[position] as number;
    bits |= index << bitCount;
    bitCount += bitWidth;
    if (bitCount >= 32) {
      packed[half++] = bits;
      bitCount -= 32;
      bits = index >>> (bitWidth - bitCount);
    }
  }
  if (bitCount > 0) packed[half] = bits;
  return packed;
}

/** Looks up `count` indices in a table, which must cover them all, and fills `values` of that length. */
export function unpackThrough(
  packed: PackedIndices,
  bitWidth: number,
  count: number,
  table: Uint16Array,
  values: Uint16Array,
): Uint16Array {
  if (bitWidth * 2 <= JOINED_BITS_MAX && count % 2 === 0 && values.byteOffset % 4 === 0) {
    const pairs = new Uint32Array(values.buffer, values.byteOffset, count / 2);
    fillThrough(pairs, packed, bitWidth * 2, joinPairs(table, bitWidth, 16));
  } else {
    fillThrough(values, packed, bitWidth, table);
  }
  return values;
}

/** Repacks the indices at another width, each replaced by its entry in the table. */
export function repackThrough(
  packed: PackedIndices,
  bitWidth: number,
  count: number,
  table: Uint16Array | Uint32Array,
  newBitWidth: number,
): PackedIndices {
  if (bitWidth * 2 <= JOINED_BITS_MAX && newBitWidth * 2 <= INDEX_BITS_MAX && count % 2 === 0) {
    const pairs = joinPairs(table, bitWidth, newBitWidth);
    return repackThrough(packed, bitWidth * 2, count / 2, pairs, newBitWidth * 2);
  }
  if (bitWidth === 8 && newBitWidth === 8 && count % 8 === 0) return replaceBytes(packed, count, table);
  const indices = new Uint16Array(count);
  fillThrough(indices, packed, bitWidth, table);
  return packIndices(indices, count, newBitWidth);
}

/** Replaces each of `count` bytes, which fill whole words, by its entry in the table. */
function replaceBytes(packed: PackedIndices, count: number, table: Uint16Array | Uint32Array): PackedIndices {
  const replaced = packed.slice(0, count / 4);
  const bytes = new Uint8Array(replaced.buffer);
  for (let at = 0; at < count; at++) bytes[at] = table[bytes[at] as number] as number;
  return replaced;
}

function fillThrough(
  values: Uint16Array | Uint32Array,
  packed: PackedIndices,
  bitWidth: number,
  table: Uint16Array | Uint32Array,
): void {
  const mask = (1 << bitWidth) - 1;
  let bit = 0;
  for (let position = 0; position < values.length; position++) {
    const half = bit >>> 5;
    const shift = bit & 31;
    let index = (packed[half] as number) >>> shift;
    if (shift + bitWidth > 32) index |= (packed[half + 1] as number) << (32 - shift);
    values[position] = table[index & mask] as number;
    bit += bitWidth;
  }
}

/** Returns a table for two neighbours at once: it maps an index of double width to both values in one. */
function joinPairs(table: Uint16Array | Uint32Array, bitWidth: number, valueBits: number): Uint32Array {
  const joined = new Uint32Array(1 << (bitWidth * 2));
  const length = Math.min(table.length, 1 << bitWidth);
  for (let high = 0; high < length; high++) {
    for (let low = 0; low < length; low++) {
      joined[(high << bitWidth) | low] = ((table[high] as number) << valueBits) | (table[low] as number);
    }
  }
  return joined;
}

/** Whether all bits after the last of `count` indices are zero. */
export function paddingIsZero(
  packed: PackedIndices,
  bitWidth: number,
  count: number,
  halves: number = packed.length,
): boolean {
  const bit = count * bitWidth;
  const half = bit >>> 5;
  if (half >= halves) return true;
  const isLast = half + 1 >= halves;
  return (packed[half] as number) >>> (bit & 31) === 0 && (isLast || packed[half + 1] === 0);
}

/** Returns the length of the words as varints, without their count. */
export function packedIndicesBytes(packed: PackedIndices, halves: number = packed.length): number {
  let bytes = 0;
  for (let half = 0; half < halves; half += 2) bytes += wordBytesAt(packed, half);
  return bytes;
}

/** Returns the length of the varint of the word that begins at an even half. */
export function wordBytesAt(packed: PackedIndices, half: number): number {
  return varU64Bytes(packed[half] as number, packed[half + 1] as number);
}

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
  if (32 % bitWidth === 0) {
    findAlignedFirsts(input, packed, firsts, volume, paletteLength);
    return;
  }
  const lanes = lanesOf(bitWidth);
  const groupMask = (1 << (lanes * bitWidth)) - 1;
  const mask = (1 << bitWidth) - 1;
  const top = 1 << (bitWidth - 1);
  const ones = LANE_ONES[bitWidth] as number;
  const tops = Math.imul(ones, top);
  let seen = 0;
  for (let position = 0; position < volume; position += lanes) {
    position = skipGroups(packed, position, volume - lanes, {
      bitWidth,
      groupMask,
      tops,
      ...floorOf(seen, top, ones),
    });
    const end = Math.min(position + lanes, volume);
    for (let voxel = position; voxel < end; voxel++) {
      const index = indexAt(packed, bitWidth, voxel);
      if (index < seen) continue;
      if (index > seen || index >= paletteLength) {
        throw input.fail("ORT_CHUNK_PALETTE", `index ${index} after ${seen} of ${paletteLength} blocks`);
      }
      firsts[seen++] = voxel;
      // The bits cannot express more than the palette holds.
      if (seen > mask) return;
    }
  }
  if (seen < paletteLength) {
    throw input.fail("ORT_CHUNK_PALETTE", `${paletteLength} blocks of which ${seen} occur`);
  }
}

/** How groups of indices are compared with a floor, as many at once as fit into 32 bits. */
interface GroupSearch {
  readonly bitWidth: number;
  readonly groupMask: number;
  /** The top bit of each lane. */
  readonly tops: number;
  readonly isTopNeeded: boolean;
  readonly carry: number;
}

/**
 * Returns what finds lanes of at least `floor`. In each lane, adding the carry to the bits below the top one carries into
 * the top one when they are large enough.
 */
function floorOf(floor: number, top: number, ones: number): Pick<GroupSearch, "isTopNeeded" | "carry"> {
  const isTopNeeded = floor >= top;
  return { isTopNeeded, carry: Math.imul(ones, isTopNeeded ? top * 2 - floor : top - floor) };
}

/** Returns where the first group with such an index begins, from `from` up to `last`; else the first position behind. */
function skipGroups(packed: PackedIndices, from: number, last: number, search: GroupSearch): number {
  const { bitWidth, groupMask, tops, isTopNeeded, carry } = search;
  const lanes = lanesOf(bitWidth);
  const groupBits = lanes * bitWidth;
  let bit = from * bitWidth;
  let position = from;
  for (; position <= last; position += lanes, bit += groupBits) {
    const half = bit >>> 5;
    const shift = bit & 31;
    const low = (packed[half] as number) >>> shift;
    const group = (shift > 0 ? low | ((packed[half + 1] as number) << (32 - shift)) : low) & groupMask;
    const carried = (group & ~tops) + carry;
    if (((isTopNeeded ? carried & group : carried | group) & tops) !== 0) return position;
  }
  return position;
}

/**
 * Does the work of {@link findFirstPositions} where no index spans two halves. All bits behind the last index must be
 * zero, which {@link paddingIsZero} says.
 */
function findAlignedFirsts(
  input: ByteReader,
  packed: PackedIndices,
  firsts: Uint16Array,
  volume: number,
  paletteLength: number,
): void {
  const bitWidth = indexBits(paletteLength);
  const mask = (1 << bitWidth) - 1;
  const top = 1 << (bitWidth - 1);
  const ones = LANE_ONES[bitWidth] as number;
  const tops = Math.imul(ones, top);
  const lanes = 32 / bitWidth;
  const halves = Math.ceil(volume / lanes);
  let seen = 0;
  for (let half = 0; half < halves; half++) {
    const { isTopNeeded, carry } = floorOf(seen, top, ones);
    half = isTopNeeded
      ? skipLow(packed, half, halves, tops, carry)
      : skipBelowTop(packed, half, halves, tops, carry);
    if (half === halves) break;
    const bits = packed[half] as number;
    for (let lane = 0; lane < lanes; lane++) {
      const index = (bits >>> (lane * bitWidth)) & mask;
      if (index < seen) continue;
      if (index > seen || index >= paletteLength) {
        throw input.fail("ORT_CHUNK_PALETTE", `index ${index} after ${seen} of ${paletteLength} blocks`);
      }
      firsts[seen++] = half * lanes + lane;
      // The bits cannot express more than the palette holds.
      if (seen > mask) return;
    }
  }
  if (seen < paletteLength) {
    throw input.fail("ORT_CHUNK_PALETTE", `${paletteLength} blocks of which ${seen} occur`);
  }
}

/** Returns the first half with a lane of at least the floor that `carry` stands for, which has the top bit. */
function skipLow(packed: PackedIndices, from: number, end: number, tops: number, carry: number): number {
  for (let half = from; half < end; half++) {
    const bits = packed[half] as number;
    if ((((bits & ~tops) + carry) & bits & tops) !== 0) return half;
  }
  return end;
}

/** Does the same for a floor without the top bit. */
function skipBelowTop(packed: PackedIndices, from: number, end: number, tops: number, carry: number): number {
  for (let half = from; half < end; half++) {
    const bits = packed[half] as number;
    if (((((bits & ~tops) + carry) | bits) & tops) !== 0) return half;
  }
  return end;
}

/** Returns the first position from `from` on, of `count`, that holds an index; `undefined` if none does. */
export function nextPositionOf(
  packed: PackedIndices,
  bitWidth: number,
  count: number,
  index: number,
  from: number,
): number | undefined {
  const lanes = lanesOf(bitWidth);
  const ones = LANE_ONES[bitWidth] as number;
  const tops = Math.imul(ones, 1 << (bitWidth - 1));
  // Added to the bits below the top of a lane, this carries into the top one unless all of them are zero.
  const carry = tops - ones;
  const wanted = Math.imul(ones, index);
  let position = from;
  for (let bit = from * bitWidth; position + lanes <= count; position += lanes, bit += lanes * bitWidth) {
    const half = bit >>> 5;
    const shift = bit & 31;
    const low = (packed[half] as number) >>> shift;
    const differing = (shift > 0 ? low | ((packed[half + 1] as number) << (32 - shift)) : low) ^ wanted;
    if (((((differing & ~tops) + carry) | differing) & tops) !== tops) break;
  }
  for (; position < count; position++) if (indexAt(packed, bitWidth, position) === index) return position;
  return undefined;
}

/** Returns how many of `count` indices differ from the one before, or any number above `stepsMax` if there are more. */
export function countSteps(packed: PackedIndices, bitWidth: number, count: number, stepsMax: number): number {
  if (bitWidth === 0) return 0;
  const lanes = lanesOf(bitWidth);
  const ones = LANE_ONES[bitWidth] as number;
  const tops = Math.imul(ones, 1 << (bitWidth - 1));
  // Added to the bits below the top of a lane, this carries into the top one unless all of them are zero.
  const carry = tops - ones;
  let previous = indexAt(packed, bitWidth, 0);
  let steps = 0;
  let position = 0;
  let bit = 0;
  for (; position + lanes <= count && steps <= stepsMax; position += lanes, bit += lanes * bitWidth) {
    const half = bit >>> 5;
    const shift = bit & 31;
    const low = (packed[half] as number) >>> shift;
    const group = shift > 0 ? low | ((packed[half + 1] as number) << (32 - shift)) : low;
    const differing = group ^ ((group << bitWidth) | previous);
    steps += oneBits((((differing & ~tops) + carry) | differing) & tops);
    previous = (group >>> ((lanes - 1) * bitWidth)) & ((1 << bitWidth) - 1);
  }
  for (; position < count && steps <= stepsMax; position++) {
    const index = indexAt(packed, bitWidth, position);
    if (index !== previous) steps++;
    previous = index;
  }
  return steps;
}

function oneBits(bits: number): number {
  const pairs = bits - ((bits >>> 1) & 0x5555_5555);
  const quads = (pairs & 0x3333_3333) + ((pairs >>> 2) & 0x3333_3333);
  return Math.imul((quads + (quads >>> 4)) & 0x0f0f_0f0f, 0x0101_0101) >>> 24;
}

/** Returns the length of the varint of a 16-bit or 32-bit value. */
export function varU32Bytes(value: number): number {
  return bytesOfBits(32 - Math.clz32(value));
}

/** Returns the length of the varint of a 64-bit value, given as two halves. */
function varU64Bytes(low32: number, high32: number): number {
  return high32 === 0 ? varU32Bytes(low32) : bytesOfBits(64 - Math.clz32(high32));
}

/** Returns the number of seven-bit groups for `bits`, at least one. Up to 64, 9/64 is a division by 7. */
function bytesOfBits(bits: number): number {
  return (bits * 9 + 64) >>> 6;
}
