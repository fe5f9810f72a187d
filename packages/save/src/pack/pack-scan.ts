import { crc32, decode } from "@orthant/core/bytes";
import type { RecordRef } from "../codec/blob.ts";
import { isBlobType, packHeader, recordHeader } from "../codec/layout.ts";
import { type PackTable, tableInBytes } from "./pack-table.ts";

/** A span of a pack: a record with a correct checksum, or bytes that are not a record. */
export type PackPiece = ScannedRecord | ScannedGap;

/** A record found without an index. */
interface ScannedRecord {
  readonly kind: "record";
  readonly ref: RecordRef;
  /** A view of the pack's bytes. */
  readonly payload: Uint8Array;
}

/** Bytes that belong to no intact record: torn, damaged or foreign. */
interface ScannedGap {
  readonly kind: "gap";
  readonly offset: number;
  readonly bytes: number;
}

/**
 * Limits how often a pack is checksummed while searching for records, as a multiple of its size. A hostile
 * pack can look as if a long record began at every fourth byte.
 */
const CHECKSUM_BUDGET_FACTOR = 16;
const MAGIC = Uint8Array.from("RECD", (letter) => letter.charCodeAt(0));

/**
 * Walks the records of a pack after its header. Where a record is damaged or torn, resumes at the next bytes
 * with the magic, a fitting length and the right checksum. References from a compacted pack have the original
 * offsets of its records, or the current ones if neither of its tables is readable.
 */
export function scanPack(bytes: Uint8Array, packId: number): Generator<PackPiece> {
  const table = tableInBytes(bytes, packId);
  return table === undefined ? scan(bytes, packHeader.bytes, 0, packId) : scanTable(bytes, table, packId);
}

/** Walks a part of a pack in the same way. The bytes begin somewhere after the pack's header. */
export function scanStretch(bytes: Uint8Array, start: number, packId: number): Generator<PackPiece> {
  return scan(bytes, 0, start, packId);
}

/** Returns the record that spans exactly these bytes; `undefined` if they are not an intact record. */
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

/** Walks `bytes` starting at `from`. They begin `origin` bytes into their pack. */
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
  const known = isBlobType(header.blobType);
  // No blob is empty. In a run of zeros, length and checksum would both read as zero.
  if (!known || header.payloadBytes === 0 || payload.length !== header.payloadBytes) {
    return { found: undefined, checkedBytes: 0 };
  }
  if (crc32(payload) !== header.payloadCrc32) return { found: undefined, checkedBytes: payload.length };
  const ref: RecordRef = {
    packId,
    recordOffset: origin + offset,
    recordBytes: recordHeader.bytes + payload.length,
    recordCrc32: header.payloadCrc32,
    blobType: header.blobType,
    blobVersion: header.blobVersion,
  };
  return { found: { kind: "record", ref, payload }, checkedBytes: payload.length };
}

/** Returns the offset of the next magic, or the end of the bytes if there is none. */
function findMagic(bytes: Uint8Array, from: number): number {
  const [first = 0] = MAGIC;
  for (let at = bytes.indexOf(first, from); at >= 0; at = bytes.indexOf(first, at + 1)) {
    if (MAGIC.every((letter, index) => bytes[at + index] === letter)) return at;
  }
  return bytes.length;
}
