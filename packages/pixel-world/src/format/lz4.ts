import { OrthantError } from "@orthant/core";

/** Returns the maximum size of an LZ4 block for `bytes` input bytes; incompressible input grows slightly. */
export function blockBytesMax(bytes: number): number {
  return bytes + Math.floor(bytes / 255) + 16;
}

/** Minimum length of a match; shorter ones cost more than they save. */
const MATCH_BYTES_MIN = 4;
/** Minimum distance of the last match from the end. The last bytes are literals; decoders rely on both. */
const MATCH_MARGIN_BYTES = 12;
const LITERAL_TAIL_BYTES = 5;
const OFFSET_MAX = 0xffff;
const HASH_BITS = 15;
/** After this many misses, as a power of two, the search takes longer steps: random bytes cost little. */
const SKIP_BITS = 6;
const NIBBLE_MAX = 15;

// Shared by all calls: clearing it costs less than allocating a new one, and nothing survives a call.
const positions = new Int32Array(1 << HASH_BITS);

/** Compresses bytes to one LZ4 block without a size prefix, in a new array. Deterministic. */
export function lz4Compress(input: Uint8Array): Uint8Array {
  const output = new Uint8Array(blockBytesMax(input.length));
  return output.slice(0, compressInto(input, output));
}

function compressInto(input: Uint8Array, output: Uint8Array): number {
  const matchLimit = input.length - LITERAL_TAIL_BYTES;
  const searchEnd = input.length - MATCH_MARGIN_BYTES;
  positions.fill(-1);
  let end = 0;
  let anchor = 0;
  let at = 0;
  let misses = 1 << SKIP_BITS;
  while (at < searchEnd) {
    const sequence = word(input, at);
    const slot = slotOf(sequence, input[at + 4] as number);
    const candidate = positions[slot] as number;
    positions[slot] = at;
    if (candidate < 0 || at - candidate > OFFSET_MAX || word(input, candidate) !== sequence) {
      at += misses++ >>> SKIP_BITS;
      continue;
    }
    let start = at;
    let from = candidate;
    while (start > anchor && from > 0 && input[start - 1] === input[from - 1]) {
      start--;
      from--;
    }
    const matchEnd = endOfMatch(input, at + MATCH_BYTES_MIN, candidate + MATCH_BYTES_MIN, matchLimit);
    end = writeSequence(input, anchor, start, output, end, matchEnd - start - MATCH_BYTES_MIN);
    const offset = start - from;
    output[end++] = offset & 0xff;
    output[end++] = offset >>> 8;
    end = writeRest(output, end, matchEnd - start - MATCH_BYTES_MIN);
    at = matchEnd;
    anchor = matchEnd;
    // Bytes across the end of a match often repeat.
    positions[slotOf(word(input, at - 2), input[at + 2] as number)] = at - 2;
    misses = 1 << SKIP_BITS;
  }
  return writeSequence(input, anchor, input.length, output, end, 0);
}

/** Returns where the bytes stop matching those at `from`. */
function endOfMatch(input: Uint8Array, start: number, from: number, limit: number): number {
  let at = start;
  let other = from;
  while (at < limit && input[at] === input[other]) {
    at++;
    other++;
  }
  return at;
}

/** Writes a token with both lengths, the rest of the literal length, the literals. Returns the new end. */
function writeSequence(
  input: Uint8Array,
  from: number,
  to: number,
  output: Uint8Array,
  start: number,
  matchLength: number,
): number {
  const literals = to - from;
  let end = start;
  output[end++] = (Math.min(literals, NIBBLE_MAX) << 4) | Math.min(matchLength, NIBBLE_MAX);
  end = writeRest(output, end, literals);
  if (literals > 32) {
    output.set(input.subarray(from, to), end);
    return end + literals;
  }
  for (let at = from; at < to; at++) output[end++] = input[at] as number;
  return end;
}

/** Writes the part of a length that does not fit in the token. Returns the new end. */
function writeRest(output: Uint8Array, start: number, length: number): number {
  if (length < NIBBLE_MAX) return start;
  let end = start;
  let rest = length - NIBBLE_MAX;
  for (; rest >= 0xff; rest -= 0xff) output[end++] = 0xff;
  output[end++] = rest;
  return end;
}

/** Hashes a pixel and the next byte. With the pixel alone, each would match the last identical one. */
function slotOf(sequence: number, next: number): number {
  return (Math.imul(sequence, 0x9e37_79b1) ^ Math.imul(next, 0x85eb_ca6b)) >>> (32 - HASH_BITS);
}

function word(bytes: Uint8Array, at: number): number {
  return (
    (bytes[at] as number) |
    ((bytes[at + 1] as number) << 8) |
    ((bytes[at + 2] as number) << 16) |
    ((bytes[at + 3] as number) << 24)
  );
}

/** Maximum number of output bytes per byte of a block. */
const EXPANSION_MAX = 255;
/** Up to this length a loop is faster than a call. */
const SHORT_BYTES = 24;

/**
 * Decompresses one LZ4 block to exactly `length` bytes, and allocates no more, whatever the block says.
 * Throws `ORT_LZ4` for a block that is truncated, refers to bytes before its start, or yields a different
 * number of bytes.
 */
export function lz4Decompress(block: Uint8Array, length: number): Uint8Array {
  requirePossible(block, length);
  const output = new Uint8Array(length);
  const found = lz4DecompressInto(block, output);
  if (found !== length) throw fault(`a block gives ${found} bytes where ${length} have to be`, block.length);
  return output;
}

/** Throws if a block is too short to yield `length` bytes; call it before allocating them. */
function requirePossible(block: Uint8Array, length: number): void {
  if (length <= block.length * EXPANSION_MAX) return;
  throw fault(`${length} bytes cannot come out of ${block.length}`, 0);
}

/**
 * Decompresses one LZ4 block into `output`. Returns the number of bytes; throws `ORT_LZ4` if they do not fit.
 */
function lz4DecompressInto(block: Uint8Array, output: Uint8Array): number {
  const size = block.length;
  let at = 0;
  let end = 0;
  while (at < size) {
    const token = block[at++] as number;
    let literals = token >>> 4;
    if (literals === NIBBLE_MAX) {
      let byte: number;
      do {
        if (at >= size) throw fault("a length of literals is cut", at);
        byte = block[at++] as number;
        literals += byte;
      } while (byte === 0xff);
    }
    if (literals > size - at) throw fault(`${literals} literals, ${size - at} bytes are left`, at);
    if (literals > output.length - end) throw fault(`more than ${output.length} bytes come out`, at);
    if (literals > SHORT_BYTES) {
      output.set(block.subarray(at, at + literals), end);
      end += literals;
      at += literals;
    } else {
      for (const stop = at + literals; at < stop; ) output[end++] = block[at++] as number;
    }
    // The last sequence has no match.
    if (at === size) {
      if ((token & 0x0f) !== 0) throw fault("the last sequence has a match without an offset", at);
      return end;
    }
    if (size - at < 2) throw fault("an offset is cut", at);
    const offset = (block[at] as number) | ((block[at + 1] as number) << 8);
    if (offset === 0 || offset > end) throw fault(`an offset of ${offset} after ${end} bytes`, at);
    at += 2;
    let match = (token & 0x0f) + MATCH_BYTES_MIN;
    if (match === NIBBLE_MAX + MATCH_BYTES_MIN) {
      let byte: number;
      do {
        if (at >= size) throw fault("a length of a match is cut", at);
        byte = block[at++] as number;
        match += byte;
      } while (byte === 0xff);
    }
    if (match > output.length - end) throw fault(`more than ${output.length} bytes come out`, at);
    copyMatch(output, end, offset, match);
    end += match;
  }
  throw fault("a block without a last sequence", size);
}

/** Copies the bytes at `start - offset`. The ranges may overlap; each step then doubles the source. */
function copyMatch(output: Uint8Array, start: number, offset: number, length: number): void {
  if (length <= SHORT_BYTES) {
    for (let at = start, from = start - offset; at < start + length; ) {
      output[at++] = output[from++] as number;
    }
    return;
  }
  const source = start - offset;
  let copied = 0;
  while (copied < length) {
    const step = Math.min(offset + copied, length - copied);
    output.copyWithin(start + copied, source, source + step);
    copied += step;
  }
}

function fault(detail: string, offset: number): OrthantError {
  return new OrthantError("ORT_LZ4", `${detail}, at byte ${offset} of the block`);
}

/** Bytes of the size before a block. */
export const SIZE_BYTES = 4;

/** Encodes bytes as one LZ4 block, preceded by their number as a little-endian u32. */
export function encodeSizedBlock(bytes: Uint8Array): Uint8Array {
  const block = lz4Compress(bytes);
  const sized = new Uint8Array(SIZE_BYTES + block.length);
  new DataView(sized.buffer).setUint32(0, bytes.length, true);
  sized.set(block, SIZE_BYTES);
  return sized;
}

/** Returns a lower bound of the length of a sized block of `bytes` bytes, whatever they are. */
export function sizedBlockBytesMin(bytes: number): number {
  return SIZE_BYTES + Math.ceil(bytes / EXPANSION_MAX);
}

/** Decodes a sized block of exactly `length` bytes. Throws `ORT_LZ4` otherwise. */
export function decodeSizedBlock(sized: Uint8Array, length: number): Uint8Array {
  const said = sizeOf(sized);
  if (said !== length)
    throw new OrthantError("ORT_LZ4", `a block of ${said} bytes, where ${length} have to be`);
  return lz4Decompress(sized.subarray(SIZE_BYTES), length);
}

/** Decodes a sized block of at most `limit` bytes, for content whose length is not recorded elsewhere. */
export function decodeBlockUpTo(sized: Uint8Array, limit: number): Uint8Array {
  const said = sizeOf(sized);
  if (said > limit) throw new OrthantError("ORT_LIMIT", `a block of ${said} bytes, the limit is ${limit}`);
  return lz4Decompress(sized.subarray(SIZE_BYTES), said);
}

/**
 * Like {@link decodeSizedBlock}, but treats the size before the block as a maximum, as the original did. Only
 * for salvage.
 */
export function decodeOversizedBlock(sized: Uint8Array, length: number): Uint8Array {
  const said = sizeOf(sized);
  if (said < length)
    throw new OrthantError("ORT_LZ4", `a block of ${said} bytes, where ${length} have to be`);
  const block = sized.subarray(SIZE_BYTES);
  requirePossible(block, length);
  const output = new Uint8Array(length);
  const found = lz4DecompressInto(block, output);
  if (found === length) return output;
  throw new OrthantError("ORT_LZ4", `a block gives ${found} bytes where ${length} have to be`);
}

function sizeOf(sized: Uint8Array): number {
  if (sized.length < SIZE_BYTES)
    throw new OrthantError("ORT_LZ4", `a block of ${sized.length} bytes has no size`);
  return new DataView(sized.buffer, sized.byteOffset).getUint32(0, true);
}
