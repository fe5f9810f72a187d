import { OrthantError } from "@orthant/core";

const MATCH_BYTES_MIN = 4;
const NIBBLE_MAX = 15;
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
export function requirePossible(block: Uint8Array, length: number): void {
  if (length <= block.length * EXPANSION_MAX) return;
  throw fault(`${length} bytes cannot come out of ${block.length}`, 0);
}

/**
 * Decompresses one LZ4 block into `output`. Returns the number of bytes; throws `ORT_LZ4` if they do not fit.
 */
export function lz4DecompressInto(block: Uint8Array, output: Uint8Array): number {
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
