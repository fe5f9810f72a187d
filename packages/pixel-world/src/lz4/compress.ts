import { blockBytesMax } from "./block-bytes.ts";

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
