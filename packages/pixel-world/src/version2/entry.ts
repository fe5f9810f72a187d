import { isOrthantError, OrthantError } from "@orthant/core";
import { ByteReader, ByteWriter, crc32 } from "@orthant/core/bytes";
import type { DiskFile } from "@orthant/disk";
import { type EntryHeader, entryHeader } from "../format/layout.ts";

/** Kinds of entries. */
const ENTRY_KIND = { chunk: 1, body: 2, chunkGone: 3, bodyGone: 4, table: 5 } as const;

/** Name of a kind of entry. */
type EntryKind = keyof typeof ENTRY_KIND;

/** An entry that has no offset yet. */
export interface NewEntry {
  readonly kind: EntryKind;
  readonly storage: number;
  readonly x: number;
  readonly y: number;
  readonly id: bigint;
  readonly payload: Uint8Array;
}

/** An entry that was read and has correct checksums. */
export interface Entry extends NewEntry {
  readonly generation: number;
  readonly offset: number;
  /** Includes the header. */
  readonly bytes: number;
}

const KINDS = new Map(Object.entries(ENTRY_KIND).map(([name, kind]) => [kind, name as EntryKind]));

/** Encodes an entry for an offset and a commit. */
export function encodeEntry(entry: NewEntry, offset: number, generation: number): Uint8Array {
  const { kind, storage, x, y, id, payload } = entry;
  const out = new ByteWriter(entryHeader.bytes + payload.length);
  const header: EntryHeader = {
    magic: "PXEN",
    kind: ENTRY_KIND[kind],
    storage,
    reserved: 0,
    payloadBytes: payload.length,
    payloadCrc32: crc32(payload),
    x,
    y,
    id,
    generation,
    offset,
    crc32: 0,
  };
  entryHeader.write(out, header);
  out.raw(payload);
  const bytes = out.copy();
  const at = entryHeader.offsets.crc32;
  new DataView(bytes.buffer).setUint32(at, crc32(bytes.subarray(0, at)), true);
  return bytes;
}

/** Decodes the header of the entry at `offset`. Throws `ORT_CHECKSUM` or `ORT_RECORD` if it is invalid. */
export function decodeEntryHeader(
  bytes: Uint8Array,
  offset: number,
): Omit<Entry, "payload"> & { readonly payloadCrc32: number } {
  const input = new ByteReader(bytes, { origin: offset });
  const header = entryHeader.read(input);
  const found = crc32(bytes.subarray(0, entryHeader.offsets.crc32));
  if (found !== header.crc32) {
    throw new OrthantError("ORT_CHECKSUM", `the header of an entry: ${header.crc32}, computed ${found}`, {
      offset,
    });
  }
  const kind = KINDS.get(header.kind as (typeof ENTRY_KIND)[EntryKind]);
  if (kind === undefined || header.reserved !== 0 || header.offset !== offset) {
    throw new OrthantError(
      "ORT_RECORD",
      `an entry of kind ${header.kind} that was written at ${header.offset}`,
      { offset },
    );
  }
  const { storage, x, y, id, generation, payloadCrc32 } = header;
  return {
    kind,
    storage,
    x,
    y,
    id,
    generation,
    offset,
    bytes: entryHeader.bytes + header.payloadBytes,
    payloadCrc32,
  };
}

/** Decodes a whole entry. */
function decodeEntry(bytes: Uint8Array, offset: number): Entry {
  const { payloadCrc32, ...entry } = decodeEntryHeader(bytes.subarray(0, entryHeader.bytes), offset);
  if (entry.bytes !== bytes.length) {
    throw new OrthantError("ORT_RECORD", `an entry of ${entry.bytes} bytes, ${bytes.length} were asked for`, {
      offset,
    });
  }
  const payload = bytes.subarray(entryHeader.bytes);
  const found = crc32(payload);
  if (found === payloadCrc32) return { ...entry, payload };
  throw new OrthantError("ORT_CHECKSUM", `an entry: ${payloadCrc32}, computed ${found}`, { offset });
}

/** Reads an entry that a table refers to. It must have this kind and length. */
export async function readEntry(
  file: DiskFile,
  kind: EntryKind,
  offset: number,
  bytes: number,
): Promise<Entry> {
  const size = await file.size();
  if (bytes < entryHeader.bytes || offset + bytes > size) {
    throw new OrthantError("ORT_TRUNCATED", `an entry of ${bytes} bytes in a file of ${size}`, { offset });
  }
  const entry = decodeEntry(await file.readAt(offset, bytes), offset);
  if (entry.kind === kind) return entry;
  throw new OrthantError("ORT_RECORD", `a ${entry.kind} entry where a ${kind} was meant`, { offset });
}

/** A piece of a scanned file: an entry with correct checksums, or bytes that belong to no entry. */
type ScannedPiece =
  | { readonly kind: "entry"; readonly entry: Entry }
  | { readonly kind: "gap"; readonly offset: number; readonly bytes: number };

const WINDOW_BYTES = 1_048_576;
const MAGIC = Uint8Array.from("PXEN", (letter) => letter.charCodeAt(0));
/** Limit of payload bytes checked in vain per scanned byte: a hostile file may have headers everywhere. */
const WORK_FACTOR = 8;

/**
 * Scans a file entry by entry, and skips other bytes up to the next entry. An entry names the offset that it
 * was written at, so an entry nested in another, or copied from another file, does not count.
 */
export async function* scanEntries(file: DiskFile, from: number): AsyncGenerator<ScannedPiece> {
  const size = await file.size();
  const window = new ScanWindow(file, size);
  let work = (size - from) * WORK_FACTOR;
  let gapStart = from;
  let offset = from;
  while (offset < size) {
    const bytes = await entryBytesAt(window, offset, size);
    if (bytes !== undefined && bytes <= work) {
      const entry = await wholeEntry(window, offset, bytes);
      if (entry !== undefined) {
        if (offset > gapStart) yield { kind: "gap", offset: gapStart, bytes: offset - gapStart };
        yield { kind: "entry", entry };
        offset += bytes;
        gapStart = offset;
        continue;
      }
      work -= bytes;
    }
    offset = await nextMagic(window, offset + 1, size);
  }
  if (size > gapStart) yield { kind: "gap", offset: gapStart, bytes: size - gapStart };
}

/** Returns the length of an apparent entry at `offset`, if there is one. */
async function entryBytesAt(window: ScanWindow, offset: number, size: number): Promise<number | undefined> {
  if (size - offset < entryHeader.bytes) return undefined;
  const header = await window.bytes(offset, entryHeader.bytes);
  const found = attempt(() => decodeEntryHeader(header, offset));
  return found === undefined || found.bytes > size - offset ? undefined : found.bytes;
}

async function wholeEntry(window: ScanWindow, offset: number, bytes: number): Promise<Entry | undefined> {
  const read = await window.bytes(offset, bytes);
  // Copy, because the window moves on.
  return attempt(() => decodeEntry(read.slice(), offset));
}

async function nextMagic(window: ScanWindow, from: number, size: number): Promise<number> {
  for (let start = from; start < size; ) {
    const length = Math.min(WINDOW_BYTES, size - start);
    const bytes = await window.bytes(start, length);
    for (
      let at = bytes.indexOf(MAGIC[0] as number);
      at >= 0;
      at = bytes.indexOf(MAGIC[0] as number, at + 1)
    ) {
      if (MAGIC.every((letter, index) => at + index >= bytes.length || bytes[at + index] === letter))
        return start + at;
    }
    start += length;
  }
  return size;
}

function attempt<Value>(read: () => Value): Value | undefined {
  try {
    return read();
  } catch (error) {
    // Bytes that are not an entry are a gap.
    if (isOrthantError(error)) return undefined;
    throw error;
  }
}

/** Reads ahead, so that small entries do not cost one read each. */
class ScanWindow {
  readonly #file: DiskFile;
  readonly #size: number;
  #start = 0;
  #bytes: Uint8Array = new Uint8Array(0);

  constructor(file: DiskFile, size: number) {
    this.#file = file;
    this.#size = size;
  }

  /** Returns a view that is valid until the next call. */
  async bytes(offset: number, length: number): Promise<Uint8Array> {
    const isThere = offset >= this.#start && offset + length <= this.#start + this.#bytes.length;
    if (!isThere) {
      this.#start = offset;
      this.#bytes = await this.#file.readAt(
        offset,
        Math.min(Math.max(length, WINDOW_BYTES), this.#size - offset),
      );
    }
    return this.#bytes.subarray(offset - this.#start, offset - this.#start + length);
  }
}
