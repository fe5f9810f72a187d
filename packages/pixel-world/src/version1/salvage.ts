import { isOrthantError, OrthantError } from "@orthant/core";
import { ByteReader } from "@orthant/core/bytes";
import type { DiskFile } from "@orthant/disk";
import { attempt } from "@orthant/disk/files";
import { chunkOfBodyVersion1, decodeBody } from "../format/body.ts";
import { type BodyHeader, bodyHeader } from "../format/layout.ts";
import {
  BODY_EDGE_MAX,
  BODY_EXTENSION_BYTES_MAX,
  BODY_PIXELS_MAX,
  CHUNK_EDGE,
  PIXEL_BYTES,
} from "../format/limits.ts";
import { blockBytesMax, SIZE_BYTES } from "../format/lz4.ts";
import type { PixelBodyRef, PixelChunkRef } from "../format/save.ts";
import { CHUNK_BYTES, decodeVersion1Chunk } from "./chunk-payload.ts";
import {
  HEADER_BYTES,
  PREFIX_BYTES,
  readHeader,
  readVersion1Index,
  type Version1Header,
  type Version1Index,
} from "./header.ts";
import { bodyOfRecord, readPayload, truePosition } from "./save.ts";

/** A fault, and the chunk that it affects, if known. */
interface SalvageFault {
  readonly error: OrthantError;
  readonly chunk: PixelChunkRef | undefined;
}

/** The recoverable contents of a version 1 file. */
interface Salvage {
  readonly header: Version1Header;
  /** Readable chunks from the page table. */
  readonly chunks: readonly PixelChunkRef[];
  /** Readable bodies from the body index. */
  readonly bodies: readonly PixelBodyRef[];
  /**
   * Bodies found by scanning the file because the body index is incomplete. Some may have been removed
   * earlier.
   */
  readonly carved: readonly PixelBodyRef[];
  /**
   * Number of whole chunks found by scanning the file because the table is incomplete. Their positions are
   * unknown.
   */
  readonly unplaced: number;
  readonly faults: readonly SalvageFault[];
}

/**
 * Reads everything that the original's recovery rules allow: entries before a truncation, whatever bad
 * entries leave, and payloads that its reader accepted although no writer produces them. Throws only if the
 * header is unreadable.
 */
export async function salvageVersion1(file: DiskFile, dialect: Version1Header["dialect"]): Promise<Salvage> {
  const faults: SalvageFault[] = [];
  const header = await readHeader(file, dialect, "salvage");
  if (header.version !== 1) {
    const error = new OrthantError("ORT_VERSION", `version ${header.version}, read as 1`, { offset: 4 });
    faults.push({ error, chunk: undefined });
  }
  const index = await readVersion1Index(file, header, (error) => faults.push({ error, chunk: undefined }));
  const note = (error: OrthantError, chunk?: PixelChunkRef): void => void faults.push({ error, chunk });
  const chunks = await readableChunks(file, index, note);
  const bodies = await readableBodies(file, header, index, note);
  const tableWhole =
    chunks.length + faults.filter(({ chunk }) => chunk !== undefined).length >= header.chunkCount;
  const found = await carve(file, [...chunks, ...bodies], {
    bodies: !index.bodiesKnown,
    chunks: !tableWhole,
  });
  const known = new Set(bodies.map(({ id }) => id));
  return {
    header,
    chunks,
    bodies,
    carved: found.bodies.filter(({ id }) => !known.has(id)),
    unplaced: found.chunks,
    faults,
  };
}

type Note = (error: OrthantError, chunk?: PixelChunkRef) => void;

async function readableChunks(
  file: DiskFile,
  { chunks }: Version1Index,
  note: Note,
): Promise<readonly PixelChunkRef[]> {
  const readable: PixelChunkRef[] = [];
  for (const ref of chunks) {
    const [strict, strictError] = await attempt(async () =>
      decodeVersion1Chunk(await readPayload(file, ref, "strict"), ref.storage, "strict"),
    );
    if (strict !== undefined) {
      readable.push(ref);
      continue;
    }
    const [lenient] = await attempt(async () =>
      decodeVersion1Chunk(await readPayload(file, ref, "salvage"), ref.storage, "salvage"),
    );
    if (strictError !== undefined) note(strictError, ref);
    if (lenient !== undefined) readable.push(ref);
  }
  return readable;
}

async function readableBodies(
  file: DiskFile,
  { dialect }: Version1Header,
  { bodies }: Version1Index,
  note: Note,
): Promise<readonly PixelBodyRef[]> {
  const readable: PixelBodyRef[] = [];
  for (const ref of bodies) {
    const [found, error] = await attempt(async () => {
      if (dialect === "browser") return await truePosition(file, ref);
      bodyOfRecord(await file.readAt(ref.offset, ref.bytes), ref);
      return ref;
    });
    if (found !== undefined) readable.push(found);
    else if (error !== undefined) note(error);
  }
  return readable;
}

/** What to search for. */
interface Wanted {
  readonly bodies: boolean;
  readonly chunks: boolean;
}

/** Result of {@link carve}. */
interface Carved {
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
async function carve(
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
    decodeVersion1Chunk(bytes.subarray(PREFIX_BYTES, length), "full", "strict");
    return length;
  } catch (error) {
    if (!isOrthantError(error)) throw error;
    work.left -= CHUNK_BYTES;
    return 0;
  }
}
