import { crc32, decode } from "@orthant/core";
import { BLOCK_BLOB, ENTITY_BLOB, packHeader, recordHeader } from "../layout.ts";
import type { BlobRef } from "../records/blob-ref.ts";
import { type PackTable, tableInBytes } from "./pack-table.ts";

/** A stretch of a pack: a record whose checksum is right, or bytes that are none. */
export type PackPiece = ScannedRecord | ScannedGap;

/** A record that was found without the help of an index. */
export interface ScannedRecord {
  readonly kind: "record";
  readonly ref: BlobRef;
  /** A view of the pack's bytes. */
  readonly payload: Uint8Array;
}

/** Bytes that belong to no whole record: torn, damaged or foreign. */
export interface ScannedGap {
  readonly kind: "gap";
  readonly offset: number;
  readonly bytes: number;
}

/**
 * How many times its own size a pack may be checksummed while looking for records. A hostile pack can look as if
 * a long record began at every fourth byte.
 */
const CHECKSUM_BUDGET_FACTOR = 16;
const MAGIC = Uint8Array.from("RECD", (letter) => letter.charCodeAt(0));

/**
 * Walks a pack behind its header, record by record. Where a record is damaged or torn, it goes on at the next
 * bytes that have the magic, a length that fits and the right checksum. The references that come out of a compacted
 * pack have the offsets that its records had at first; when neither of its tables can be read, those that they have.
 */
export function scanPack(bytes: Uint8Array, packId: number): Generator<PackPiece> {
  const table = tableInBytes(bytes, packId);
  return table === undefined ? scan(bytes, packHeader.bytes, 0, packId) : scanTable(bytes, table, packId);
}

/** Walks a stretch of a pack in the same way; the bytes begin somewhere behind the pack's header. */
export function scanStretch(bytes: Uint8Array, start: number, packId: number): Generator<PackPiece> {
  return scan(bytes, 0, start, packId);
}

/** The record that bytes are from the first to the last; `undefined` when they are none that is whole. */
export function wholeRecord(bytes: Uint8Array, offset: number, packId: number): ScannedRecord | undefined {
  const { found } = recordAt(bytes, 0, offset, packId);
  return found?.ref.recordBytes === bytes.length ? found : undefined;
}

/** Walks the records of a compacted pack. */
function* scanTable(bytes: Uint8Array, table: PackTable, packId: number): Generator<PackPiece> {
  for (let index = 0; index < table.count; index++) {
    const { offset, firstOffset, bytes: recordBytes } = table.record(index);
    const record = wholeRecord(bytes.subarray(offset, offset + recordBytes), firstOffset, packId);
    yield record ?? { kind: "gap", offset, bytes: recordBytes };
  }
}

/** Walks bytes from an offset on; they begin so many bytes into their pack. */
function* scan(bytes: Uint8Array, from: number, origin: number, packId: number): Generator<PackPiece> {
  let budget = bytes.length * CHECKSUM_BUDGET_FACTOR;
  let gapStart = from;
  let offset = findMagic(bytes, from);
  while (offset < bytes.length && budget > 0) {
    const record = recordAt(bytes, offset, origin, packId);
    budget -= record.checkedBytes;
    if (record.found === undefined) {
      offset = findMagic(bytes, offset + 1);
      continue;
    }
    if (offset > gapStart) yield { kind: "gap", offset: origin + gapStart, bytes: offset - gapStart };
    yield record.found;
    gapStart = offset + record.found.ref.recordBytes;
    offset = findMagic(bytes, gapStart);
  }
  if (gapStart < bytes.length) {
    yield { kind: "gap", offset: origin + gapStart, bytes: bytes.length - gapStart };
  }
}

function recordAt(
  bytes: Uint8Array,
  offset: number,
  origin: number,
  packId: number,
): { readonly found: ScannedRecord | undefined; readonly checkedBytes: number } {
  const payloadStart = offset + recordHeader.bytes;
  if (payloadStart > bytes.length) return { found: undefined, checkedBytes: 0 };
  const header = decode(recordHeader, bytes.subarray(offset, payloadStart));
  const payload = bytes.subarray(payloadStart, payloadStart + header.payloadBytes);
  const known = header.blobType === BLOCK_BLOB || header.blobType === ENTITY_BLOB;
  // No blob is empty. A length of zero with a checksum of zero is what a run of zeros would say.
  if (!known || header.payloadBytes === 0 || payload.length !== header.payloadBytes) {
    return { found: undefined, checkedBytes: 0 };
  }
  if (crc32(payload) !== header.payloadCrc32) return { found: undefined, checkedBytes: payload.length };
  const ref: BlobRef = {
    dataFileId: packId,
    recordOffset: origin + offset,
    recordBytes: recordHeader.bytes + payload.length,
    recordCrc32: header.payloadCrc32,
    blobType: header.blobType,
    blobVersion: header.blobVersion,
  };
  return { found: { kind: "record", ref, payload }, checkedBytes: payload.length };
}

/** Where the next magic begins; the end of the bytes when there is none. */
function findMagic(bytes: Uint8Array, from: number): number {
  const [first = 0] = MAGIC;
  for (let at = bytes.indexOf(first, from); at >= 0; at = bytes.indexOf(first, at + 1)) {
    if (MAGIC.every((letter, index) => bytes[at + index] === letter)) return at;
  }
  return bytes.length;
}
