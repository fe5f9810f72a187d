import { ByteReader, ByteWriter, crc32, OrthantError } from "@orthant/core";
import type { DiskFile } from "@orthant/disk";
import { type EntryHeader, entryHeader } from "../layout.ts";

/** Kinds of entries. */
export const ENTRY_KIND = { chunk: 1, body: 2, chunkGone: 3, bodyGone: 4, table: 5 } as const;

/** Name of a kind of entry. */
export type EntryKind = keyof typeof ENTRY_KIND;

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
export function decodeEntry(bytes: Uint8Array, offset: number): Entry {
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
