import { OrthantError } from "@orthant/core";
import { lz4Compress } from "./compress.ts";
import { lz4Decompress, lz4DecompressInto, requirePossible } from "./decompress.ts";

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
  if (said > limit) throw new OrthantError("ORT_LIMIT", `a block of ${said} bytes, at most ${limit} may be`);
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
