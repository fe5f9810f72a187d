import { isOrthantError, OrthantError } from "@orthant/core";
import { ByteReader, ByteWriter, crc32, decode } from "@orthant/core/bytes";
import type { DiskFile } from "@orthant/disk";
import {
  COMPACTED_PACK_VERSION,
  type CompactedPackHeader,
  compactedPackHeader,
  packHeader,
  recordHeader,
} from "../codec/layout.ts";

/** A record of a compacted pack. */
export interface PackedRecord {
  /** Offset in the pack as first written, which references use. */
  readonly firstOffset: number;
  /** Size including its header. */
  readonly bytes: number;
}

/** Minimum size of a record: a header and a non-empty payload. */
const RECORD_BYTES_MIN = recordHeader.bytes + 1;
/** Minimum size of an entry. */
const ENTRY_BYTES_MIN = 2;

/** Current locations of the records in a compacted pack. Rules S86 and S87. */
export class PackTable {
  readonly #firsts: Float64Array;
  /** Current offset of each record, and the end of the last one. */
  readonly #starts: Float64Array;

  /** Takes ownership of both arrays. */
  constructor(firsts: Float64Array, starts: Float64Array) {
    this.#firsts = firsts;
    this.#starts = starts;
  }

  /** Number of records. */
  get count(): number {
    return this.#firsts.length;
  }

  /** End of the last record. */
  get end(): number {
    return this.#starts[this.count] ?? 0;
  }

  /** Returns a record by its index in the pack, with its current offset. */
  record(index: number): PackedRecord & { readonly offset: number } {
    const offset = this.#starts[index] ?? 0;
    const bytes = (this.#starts[index + 1] ?? 0) - offset;
    return { firstOffset: this.#firsts[index] ?? 0, offset, bytes };
  }

  /** Returns the index of the first record at or after this original offset. */
  seek(firstOffset: number): number {
    let low = 0;
    let high = this.count;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#firsts[middle] ?? 0) < firstOffset) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** Returns the record that began at this offset when the pack was first written. */
  find(firstOffset: number): ReturnType<PackTable["record"]> | undefined {
    const index = this.seek(firstOffset);
    return this.#firsts[index] === firstOffset ? this.record(index) : undefined;
  }
}

/**
 * The bytes before and after the records of a compacted pack: the same header and table, in opposite order.
 */
export interface PackEnds {
  readonly head: Uint8Array;
  readonly tail: Uint8Array;
}

/** Builds the table of a compacted pack, record by record. */
export class PackTableWriter {
  readonly #table = new ByteWriter();
  #count = 0;
  #end: number = packHeader.bytes;

  /** End of the last record in the pack as first written; the next one must not begin before it. */
  get end(): number {
    return this.#end;
  }

  /** Adds the next record: the gap since the previous one, and its size. */
  add({ firstOffset, bytes }: PackedRecord): void {
    this.#table.varUint(firstOffset - this.#end);
    this.#table.varUint(bytes);
    this.#end = firstOffset + bytes;
    this.#count++;
  }

  /** Returns the bytes that surround the records. */
  finish(packId: number): PackEnds {
    const table = this.#table.copy();
    const fields = { packId, recordCount: this.#count, tableBytes: table.length };
    const unsealed = encodeHeader({ ...fields, tableCrc32: 0 });
    const header = encodeHeader({ ...fields, tableCrc32: sealOf(unsealed, table) });
    return { head: joined(header, table), tail: joined(table, header) };
  }
}

/**
 * Reads the table of a compacted pack from its beginning or, if that is damaged, from its end. If both are
 * damaged, throws the error of the first. Rule S88.
 */
export async function readPackTable(file: DiskFile, packId: number): Promise<PackTable> {
  try {
    return await readTableAt(file, packId, "head");
  } catch (error) {
    return readTableAt(file, packId, "tail").catch(() => {
      throw error;
    });
  }
}

/** Reads the table from one end of a compacted pack. */
export async function readTableAt(file: DiskFile, packId: number, end: keyof PackEnds): Promise<PackTable> {
  const size = await file.size();
  const header = headerSpan(size, end);
  const headerBytes = await file.readAt(header.offset, header.bytes);
  const table = tableSpan(headerBytes, packId, size, end);
  return decodeTable(headerBytes, await file.readAt(table.offset, table.bytes), table.offset);
}

/** Returns the table of a compacted pack in memory, from the first intact end; `undefined` if neither is. */
export function tableInBytes(pack: Uint8Array, packId: number): PackTable | undefined {
  const view = ({ offset, bytes }: Span): Uint8Array => pack.subarray(offset, offset + bytes);
  for (const end of ["head", "tail"] as const) {
    try {
      const header = view(headerSpan(pack.length, end));
      const table = tableSpan(header, packId, pack.length, end);
      return decodeTable(header, view(table), table.offset);
    } catch (error) {
      // Without a table, the caller searches the bytes for records.
      if (!isOrthantError(error)) throw error;
    }
  }
  return undefined;
}

/** A range of a file. */
interface Span {
  readonly offset: number;
  readonly bytes: number;
}

function headerSpan(size: number, end: keyof PackEnds): Span {
  const bytes = Math.min(size, compactedPackHeader.bytes);
  return { offset: end === "head" ? 0 : size - bytes, bytes };
}

/** Checks a header and returns the location of its table. */
function tableSpan(headerBytes: Uint8Array, packId: number, size: number, end: keyof PackEnds): Span {
  const { offset: headerAt } = headerSpan(size, end);
  const { tableBytes: bytes } = requireHeader(headerBytes, packId, headerAt);
  if (2 * (compactedPackHeader.bytes + bytes) > size) {
    const detail = `two tables of ${bytes} bytes in a pack of ${size}`;
    throw new OrthantError("ORT_TRUNCATED", detail, { offset: headerAt });
  }
  return { offset: end === "head" ? compactedPackHeader.bytes : headerAt - bytes, bytes };
}

function requireHeader(bytes: Uint8Array, packId: number, origin: number): CompactedPackHeader {
  const header = decode(compactedPackHeader, bytes);
  const { offsets } = compactedPackHeader;
  if (header.version !== COMPACTED_PACK_VERSION) {
    const detail = `pack version ${header.version}, not ${COMPACTED_PACK_VERSION}`;
    throw new OrthantError("ORT_VERSION", detail, { offset: origin + offsets.version });
  }
  if (header.packId !== packId) {
    const detail = `a pack that says it is ${header.packId}, not ${packId}`;
    throw new OrthantError("ORT_RECORD", detail, { offset: origin + offsets.packId });
  }
  return header;
}

function decodeTable(headerBytes: Uint8Array, table: Uint8Array, origin: number): PackTable {
  const { recordCount, tableCrc32 } = decode(compactedPackHeader, headerBytes);
  if (sealOf(headerBytes, table) !== tableCrc32) {
    throw new OrthantError("ORT_CHECKSUM", "the table of a compacted pack is damaged", { offset: origin });
  }
  if (recordCount * ENTRY_BYTES_MIN > table.length) {
    const detail = `${recordCount} records in a table of ${table.length} bytes`;
    throw new OrthantError("ORT_TRUNCATED", detail, { offset: origin });
  }
  const input = new ByteReader(table, { origin });
  const firsts = new Float64Array(recordCount);
  const starts = new Float64Array(recordCount + 1).fill(compactedPackHeader.bytes + table.length);
  let end: number = packHeader.bytes;
  for (let index = 0; index < recordCount; index++) {
    const firstOffset = end + input.varUint();
    const bytes = input.varUint();
    end = firstOffset + bytes;
    if (bytes < RECORD_BYTES_MIN || !Number.isSafeInteger(end)) {
      throw input.fail("ORT_RECORD", `a record of ${bytes} bytes at ${firstOffset} in the table`);
    }
    firsts[index] = firstOffset;
    starts[index + 1] = (starts[index] ?? 0) + bytes;
  }
  input.end();
  return new PackTable(firsts, starts);
}

function encodeHeader(fields: Omit<CompactedPackHeader, "magic" | "version">): Uint8Array {
  const out = new ByteWriter(compactedPackHeader.bytes);
  compactedPackHeader.write(out, { magic: "V4DT", version: COMPACTED_PACK_VERSION, ...fields });
  return out.copy();
}

/** The checksum also covers the header, so that neither a run of zeros nor another pack's table passes. */
function sealOf(header: Uint8Array, table: Uint8Array): number {
  return crc32(table, crc32(header.subarray(0, compactedPackHeader.offsets.tableCrc32)));
}

function joined(first: Uint8Array, second: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(first.length + second.length);
  bytes.set(first);
  bytes.set(second, first.length);
  return bytes;
}
