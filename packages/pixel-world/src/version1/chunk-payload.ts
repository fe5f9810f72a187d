import { OrthantError } from "@orthant/core";
import { ByteReader, ByteWriter } from "@orthant/core/bytes";
import { CHUNK_EDGE, PIXEL_BYTES } from "../format/limits.ts";
import { decodeBlockUpTo, decodeOversizedBlock, decodeSizedBlock, encodeSizedBlock } from "../format/lz4.ts";
import type { PixelDelta, PixelStorage, StoredPixelChunk } from "../format/pixels.ts";

/** Pixels per chunk. */
const PIXELS = CHUNK_EDGE * CHUNK_EDGE;
/** Size of a chunk in memory. */
export const CHUNK_BYTES: number = PIXELS * PIXEL_BYTES;
const COUNT_BYTES = 4;
const POSITION_BYTES = 3;
const CHANGE_BYTES = POSITION_BYTES + PIXEL_BYTES;
const DELTA_BYTES_MAX = COUNT_BYTES + PIXELS * CHANGE_BYTES;
/** Flags that the original's program knew. In changes it read no others. */
const KNOWN_FLAGS = 0x3f;

/**
 * `strict` accepts only what a writer may write; `salvage` also accepts everything the original's reader did.
 */
export type Strictness = "strict" | "salvage";

/** Encodes the payload of a chunk. An empty chunk has none. */
export function encodeVersion1Chunk(chunk: StoredPixelChunk): Uint8Array {
  if (chunk.storage === "empty") return new Uint8Array(0);
  return encodeSizedBlock(chunk.storage === "full" ? chunk.pixels : encodeDelta(chunk.delta));
}

/** Decodes a chunk from its payload. */
export function decodeVersion1Chunk(
  payload: Uint8Array,
  storage: PixelStorage,
  strictness: Strictness,
): StoredPixelChunk {
  if (storage === "empty") {
    if (payload.length === 0 || strictness === "salvage") return { storage };
    throw new OrthantError("ORT_BLOB", `${payload.length} bytes in a chunk that is empty`);
  }
  if (storage === "full") {
    const decodeBlock = strictness === "strict" ? decodeSizedBlock : decodeOversizedBlock;
    return { storage, pixels: decodeBlock(payload, CHUNK_BYTES) };
  }
  const raw = decodeBlockUpTo(payload, DELTA_BYTES_MAX);
  return { storage, delta: strictness === "strict" ? decodeDelta(raw) : salvageDelta(raw) };
}

function encodeDelta({ positions, pixels }: PixelDelta): Uint8Array {
  const out = new ByteWriter(COUNT_BYTES + positions.length * CHANGE_BYTES);
  out.u32(positions.length);
  positions.forEach((position, index) => {
    out.u16(position & 0xffff);
    out.u8(position >>> 16);
    out.raw(pixels.subarray(index * PIXEL_BYTES, (index + 1) * PIXEL_BYTES));
  });
  return out.copy();
}

function decodeDelta(raw: Uint8Array): PixelDelta {
  const delta = readDelta(raw);
  if (raw.length !== COUNT_BYTES + delta.positions.length * CHANGE_BYTES) {
    throw new OrthantError("ORT_BLOB", `${raw.length} bytes for ${delta.positions.length} changes`);
  }
  for (let index = 1; index < delta.positions.length; index++) {
    const [before, position] = [delta.positions[index - 1] ?? 0, delta.positions[index] ?? 0];
    if (position <= before)
      throw new OrthantError("ORT_BLOB", `a change at ${position} after one at ${before}`);
  }
  for (let at = PIXEL_BYTES - 1; at < delta.pixels.length; at += PIXEL_BYTES) {
    const flags = delta.pixels[at] ?? 0;
    if (flags > KNOWN_FLAGS) throw new OrthantError("ORT_BLOB", `flags ${flags} in a change`);
  }
  return delta;
}

/**
 * Decodes changes as the original did: accepts any order, uses the last change of a pixel, ignores trailing
 * bytes and masks unknown flags.
 */
function salvageDelta(raw: Uint8Array): PixelDelta {
  const { positions, pixels } = readDelta(raw);
  const last = new Map<number, number>();
  positions.forEach((position, index) => void last.set(position, index));
  const sorted = [...last].sort(([a], [b]) => a - b);
  const kept = new Uint8Array(sorted.length * PIXEL_BYTES);
  sorted.forEach(([, from], to) => {
    kept.set(pixels.subarray(from * PIXEL_BYTES, (from + 1) * PIXEL_BYTES), to * PIXEL_BYTES);
    kept[to * PIXEL_BYTES + 3] = (kept[to * PIXEL_BYTES + 3] ?? 0) & KNOWN_FLAGS;
  });
  return { positions: Uint32Array.from(sorted, ([position]) => position), pixels: kept };
}

function readDelta(raw: Uint8Array): PixelDelta {
  const input = new ByteReader(raw);
  const count = input.u32();
  if (count * CHANGE_BYTES > input.remaining) {
    throw new OrthantError("ORT_BLOB", `${count} changes in ${input.remaining} bytes`);
  }
  const positions = new Uint32Array(count);
  const pixels = new Uint8Array(count * PIXEL_BYTES);
  for (let index = 0; index < count; index++) {
    const position = input.u16() + input.u8() * 0x1_0000;
    if (position >= PIXELS) throw new OrthantError("ORT_BLOB", `a change at ${position} of ${PIXELS} pixels`);
    positions[index] = position;
    pixels.set(input.view(PIXEL_BYTES), index * PIXEL_BYTES);
  }
  return { positions, pixels };
}
