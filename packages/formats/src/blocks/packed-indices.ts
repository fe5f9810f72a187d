import { NOT_STORED } from "../part/voxel-part.ts";
import type { SectionVoxels } from "./column-section.ts";

/** A lane of four bits with only its lowest bit set, or only its highest one, in every lane of a word. */
const LANE_ONES = 0x1111_1111;
const LANE_TOPS = 0x8888_8888;
/** Bits of an index of a section, at least. */
export const INDEX_BITS_MIN = 4;

/** How many indices there are, how they are packed, and how many states they choose from. */
interface IndexPacking {
  readonly count: number;
  readonly bits: number;
  /** Whether an index may begin in one long and end in the next. */
  readonly crossLongs: boolean;
  readonly paletteLength: number;
}

/** Returns the bits of an index into a palette of `length` states. */
export function bitsFor(length: number, bitsMin: number): number {
  return Math.max(bitsMin, length <= 1 ? 0 : 32 - Math.clz32(length - 1));
}

/** Returns the longs that indices take. */
export function longsFor({ count, bits, crossLongs }: Omit<IndexPacking, "paletteLength">): number {
  return crossLongs ? Math.ceil((count * bits) / 64) : Math.ceil(count / Math.floor(64 / bits));
}

/**
 * Indices into a palette, packed into big-endian longs, lowest bits first; the caller has compared the number of longs with
 * {@link longsFor}.
 */
export class LongIndices implements SectionVoxels {
  readonly #longs: DataView;
  readonly #packing: IndexPacking;
  #indices: Uint16Array | undefined;
  /** Number of indices beyond the palette, which are {@link NOT_STORED}. */
  readonly beyond: number;

  constructor(longs: DataView, packing: IndexPacking) {
    this.#longs = longs;
    this.#packing = packing;
    this.beyond = isEachInside(longs, packing) ? 0 : markBeyond(this.unpack(), packing.paletteLength);
  }

  unpack(): Uint16Array {
    this.#indices ??= unpackLongs(this.#longs, this.#packing);
    return this.#indices;
  }

  packInto(words: Uint32Array): boolean {
    const { bits, count } = this.#packing;
    if (bits !== 4 || this.beyond > 0 || words.length * 8 !== count || count % 16 !== 0) return false;
    const longs = this.#longs;
    for (let word = 0; word < words.length; word += 2) {
      words[word] = longs.getUint32(word * 4 + 4);
      words[word + 1] = longs.getUint32(word * 4);
    }
    return true;
  }

  holds(wanted: readonly boolean[]): boolean {
    const { bits, count } = this.#packing;
    if (bits !== 4 || count % 16 !== 0) return this.unpack().some((index) => wanted[index] === true);
    const isWanted = Uint8Array.from({ length: 16 }, (_, index) => (wanted[index] === true ? 1 : 0));
    const longs = this.#longs;
    for (let offset = 0; offset < count / 2; offset++) {
      const byte = longs.getUint8(offset);
      if (((isWanted[byte & 0x0f] as number) | (isWanted[byte >>> 4] as number)) !== 0) return true;
    }
    return false;
  }
}

/** Packs the places of blocks in a palette as the game does since 1.16: whole indices in a long, the first one lowest. */
export function packLongs(blocks: Uint16Array, places: ReadonlyMap<number, number>): BigInt64Array {
  const bits = bitsFor(places.size, INDEX_BITS_MIN);
  const each = Math.floor(64 / bits);
  const longs = new BigInt64Array(longsFor({ count: blocks.length, bits, crossLongs: false }));
  for (let long = 0; long < longs.length; long++) {
    let value = 0n;
    for (let at = Math.min(each, blocks.length - long * each) - 1; at >= 0; at--) {
      const place = places.get(blocks[long * each + at] as number) ?? 0;
      value = (value << BigInt(bits)) | BigInt(place);
    }
    longs[long] = BigInt.asIntN(64, value);
  }
  return longs;
}

function unpackLongs(longs: DataView, { count, bits, crossLongs }: IndexPacking): Uint16Array {
  const indices = new Uint16Array(count);
  // Where indices fill longs exactly, both layouts are the same.
  if (crossLongs && 64 % bits !== 0) unpackAcross(longs, bits, indices);
  else unpackWithin(longs, bits, indices);
  return indices;
}

function unpackWithin(longs: DataView, bits: number, indices: Uint16Array): void {
  const mask = (1 << bits) - 1;
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
  const mask = (1 << bits) - 1;
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

/** Whether no index can be beyond the palette, as far as that is known without unpacking them. */
function isEachInside(longs: DataView, { bits, count, paletteLength }: IndexPacking): boolean {
  if (paletteLength === 2 ** bits) return true;
  return bits === 4 && count % 16 === 0 && !hasLaneFrom(longs, count / 2, paletteLength);
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

/** Whether a lane of four bits in the first bytes is at least `floor`, of 1 to 15. */
function hasLaneFrom(longs: DataView, bytes: number, floor: number): boolean {
  // Adding the carry to the low three bits of a lane carries into its top bit when they are large enough.
  const isTopNeeded = floor >= 8;
  const carry = Math.imul(LANE_ONES, isTopNeeded ? 16 - floor : 8 - floor);
  for (let offset = 0; offset < bytes; offset += 4) {
    const word = longs.getUint32(offset) | 0;
    const carried = ((word & ~LANE_TOPS) + carry) | 0;
    if (((isTopNeeded ? carried & word : carried | word) & LANE_TOPS) !== 0) return true;
  }
  return false;
}
