import { ByteReader, isOrthantError } from "@orthant/core";
import type { DiskFile } from "@orthant/disk";
import { type BodyHeader, bodyHeader } from "../layout.ts";
import {
  BODY_EDGE_MAX,
  BODY_EXTENSION_BYTES_MAX,
  BODY_PIXELS_MAX,
  CHUNK_EDGE,
  PIXEL_BYTES,
} from "../limits.ts";
import { blockBytesMax } from "../lz4/block-bytes.ts";
import { SIZE_BYTES } from "../lz4/sized-block.ts";
import { chunkOfBodyVersion1, decodeBody } from "../records/pixel-body.ts";
import type { PixelBodyRef } from "../save.ts";
import { CHUNK_BYTES, decodeChunk } from "./chunk-payload.ts";
import { HEADER_BYTES } from "./read-header.ts";
import { PREFIX_BYTES } from "./read-index.ts";

/** What to search for. */
export interface Wanted {
  readonly bodies: boolean;
  readonly chunks: boolean;
}

/** Result of {@link carve}. */
export interface Carved {
  /** The last record of each body. */
  readonly bodies: readonly PixelBodyRef[];
  readonly chunks: number;
}

/** Larger than any body record or chunk, so that each fits in two windows. */
const WINDOW_BYTES = 8_388_608;
const RECORD_BYTES_MAX =
  bodyHeader.bytes +
  BODY_EXTENSION_BYTES_MAX +
  2 * SIZE_BYTES +
  blockBytesMax(BODY_PIXELS_MAX * PIXEL_BYTES) * 2;
/** Limit of bytes decoded in vain per byte of the file: a hostile file may look like records everywhere. */
const WORK_FACTOR = 64;
const WORK_MIN_BYTES = 16_777_216;

/**
 * Searches every byte outside the given spans for body records and whole chunks. A record counts if its
 * checksum matches and both of its blocks decode to the size of its grid.
 */
export async function carve(
  file: DiskFile,
  spans: readonly { readonly offset: number; readonly bytes: number }[],
  wanted: Wanted,
): Promise<Carved> {
  const bodies = new Map<bigint, PixelBodyRef>();
  let chunks = 0;
  if (!wanted.bodies && !wanted.chunks) return { bodies: [], chunks };
  const size = await file.size();
  const work = { left: WORK_MIN_BYTES + size * WORK_FACTOR };
  for (const { start, end } of gapsBetween(spans, size)) {
    let offset = start;
    while (offset < end) {
      const window = await file.readAt(offset, Math.min(end - offset, WINDOW_BYTES + RECORD_BYTES_MAX));
      let at = 0;
      while (at < window.length && at < WINDOW_BYTES) {
        // Nearly every byte starts neither, so the cheap checks come first.
        const body =
          wanted.bodies && looksLikeBody(window, at)
            ? bodyAt(window.subarray(at), offset + at, work)
            : undefined;
        if (body !== undefined) bodies.set(body.id, body);
        const isChunk = wanted.chunks && body === undefined && looksLikeChunk(window, at);
        const chunkLength = isChunk ? chunkAt(window.subarray(at), work) : 0;
        if (chunkLength > 0) chunks++;
        at += Math.max(1, body?.bytes ?? chunkLength);
      }
      offset += Math.max(1, at);
    }
  }
  return { bodies: [...bodies.values()], chunks };
}

function* gapsBetween(
  spans: readonly { readonly offset: number; readonly bytes: number }[],
  size: number,
): Generator<{ readonly start: number; readonly end: number }> {
  let start = HEADER_BYTES;
  for (const { offset, bytes } of [...spans].sort((a, b) => a.offset - b.offset)) {
    if (offset > start) yield { start, end: Math.min(offset, size) };
    start = Math.max(start, offset + bytes);
  }
  if (start < size) yield { start, end: size };
}

interface Work {
  left: number;
}

function bodyAt(bytes: Uint8Array, offset: number, work: Work): PixelBodyRef | undefined {
  const header = tolerantHeader(bytes);
  if (header === undefined) return undefined;
  const length = bodyHeader.bytes + header.pixelBytes + header.maskBytes + header.extensionBytes;
  const cost = header.width * header.height * PIXEL_BYTES;
  if (length > bytes.length || cost > work.left) return undefined;
  try {
    const body = decodeBody(bytes.subarray(0, length), PIXEL_BYTES);
    const [x, y] = chunkOfBodyVersion1(body, CHUNK_EDGE);
    return { id: body.id, x, y, offset, bytes: length };
  } catch (error) {
    if (!isOrthantError(error)) throw error;
    // Almost every candidate is not a record, and the checksum rejects it at no cost.
    if (error.code !== "ORT_CHECKSUM") work.left -= cost;
    return undefined;
  }
}

function looksLikeBody(bytes: Uint8Array, at: number): boolean {
  if (at + bodyHeader.bytes > bytes.length) return false;
  const { reserved, width, height } = bodyHeader.offsets;
  if (byteAt(bytes, at + reserved) | byteAt(bytes, at + reserved + 1) | byteAt(bytes, at + reserved + 2))
    return false;
  const [across, up] = [wordAt(bytes, at + width), wordAt(bytes, at + height)];
  return (
    across > 0 && up > 0 && across <= BODY_EDGE_MAX && up <= BODY_EDGE_MAX && across * up <= BODY_PIXELS_MAX
  );
}

function looksLikeChunk(bytes: Uint8Array, at: number): boolean {
  const sizeAt = at + PREFIX_BYTES;
  return sizeAt + SIZE_BYTES < bytes.length && wordAt(bytes, sizeAt) === CHUNK_BYTES;
}

function wordAt(bytes: Uint8Array, at: number): number {
  return (
    byteAt(bytes, at) +
    byteAt(bytes, at + 1) * 0x100 +
    byteAt(bytes, at + 2) * 0x1_0000 +
    byteAt(bytes, at + 3) * 0x100_0000
  );
}

function byteAt(bytes: Uint8Array, at: number): number {
  return bytes[at] as number;
}

function tolerantHeader(bytes: Uint8Array): BodyHeader | undefined {
  try {
    return bodyHeader.read(new ByteReader(bytes));
  } catch (error) {
    // A body has no NaN.
    if (isOrthantError(error)) return undefined;
    throw error;
  }
}

/** Returns the length of the whole chunk that starts here with its two lengths, or 0 if there is none. */
function chunkAt(bytes: Uint8Array, work: Work): number {
  const length = PREFIX_BYTES + wordAt(bytes, 0);
  if (length > bytes.length || CHUNK_BYTES > work.left) return 0;
  try {
    decodeChunk(bytes.subarray(PREFIX_BYTES, length), "full", "strict");
    return length;
  } catch (error) {
    if (!isOrthantError(error)) throw error;
    work.left -= CHUNK_BYTES;
    return 0;
  }
}
