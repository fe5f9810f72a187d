import { ByteReader, ByteWriter, crc32, decode, isOrthantError, OrthantError } from "@orthant/core";
import type { DiskFile } from "@orthant/disk";
import {
  COMPACTED_PACK_VERSION,
  type CompactedPackHeader,
  compactedPackHeader,
  packHeader,
  recordHeader,
} from "../layout.ts";

/** A record of a compacted pack. */
export interface PackedRecord {
  /** Where it lay in the pack as it was first written, which is where references say that it is. */
  readonly firstOffset: number;
  /** With its header. */
  readonly bytes: number;
}

/** No record is shorter: a header, and a payload that is not empty. */
const RECORD_BYTES_MIN = recordHeader.bytes + 1;
/** The least that an entry takes. */
const ENTRY_BYTES_MIN = 2;

/** Says where the records of a compacted pack lie now. Rules S86 and S87. */
export class PackTable {
  readonly #firsts: Float64Array;
  /** Where each record begins now, and where the last one ends. */
  readonly #starts: Float64Array;

  /** Takes both over. */
  constructor(firsts: Float64Array, starts: Float64Array) {
    this.#firsts = firsts;
    this.#starts = starts;
  }

  /** How many records there are. */
  get count(): number {
    return this.#firsts.length;
  }

  /** Where the last record ends. */
  get end(): number {
    return this.#starts[this.count] ?? 0;
  }

  /** The record with this number in the order of the pack, and where it begins now. */
  record(index: number): PackedRecord & { readonly offset: number } {
    const offset = this.#starts[index] ?? 0;
    const bytes = (this.#starts[index + 1] ?? 0) - offset;
    return { firstOffset: this.#firsts[index] ?? 0, offset, bytes };
  }

  /** The number of the first record that begins at this first offset or behind it. */
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

  /** The record that began at this offset when the pack was first written. */
  find(firstOffset: number): ReturnType<PackTable["record"]> | undefined {
    const index = this.seek(firstOffset);
    return this.#firsts[index] === firstOffset ? this.record(index) : undefined;
  }
}

/** What stands before the records of a compacted pack, and behind them: the same header and table, turned round. */
export interface PackEnds {
  readonly head: Uint8Array;
  readonly tail: Uint8Array;
}

/** Makes the table of a compacted pack, record by record. */
export class PackTableWriter {
  readonly #table = new ByteWriter();
  #count = 0;
  #end: number = packHeader.bytes;

  /** Where the last record ended in the pack as it was first written: the next one may not begin before. */
  get end(): number {
    return this.#end;
  }

  /** Adds the next record: the bytes that were between the one before and this one, and its own. */
  add({ firstOffset, bytes }: PackedRecord): void {
    this.#table.varUint(firstOffset - this.#end);
    this.#table.varUint(bytes);
    this.#end = firstOffset + bytes;
    this.#count++;
  }

  /** What goes around the records. */
  finish(packId: number): PackEnds {
    const table = this.#table.copy();
    const fields = { packId, recordCount: this.#count, tableBytes: table.length };
    const unsealed = encodeHeader({ ...fields, tableCrc32: 0 });
    const header = encodeHeader({ ...fields, tableCrc32: sealOf(unsealed, table) });
    return { head: joined(header, table), tail: joined(table, header) };
  }
}

/**
 * The table of a compacted pack, from its begin or, where that is damaged, from its end; throws what is wrong with the
 * begin when neither is whole. Rule S88.
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

/** The table from one end of a compacted pack. */
export async function readTableAt(file: DiskFile, packId: number, end: keyof PackEnds): Promise<PackTable> {
  const size = await file.size();
  const header = headerSpan(size, end);
  const headerBytes = await file.readAt(header.offset, header.bytes);
  const table = tableSpan(headerBytes, packId, size, end);
  return decodeTable(headerBytes, await file.readAt(table.offset, table.bytes), table.offset);
}

/** The table of a compacted pack that is in memory, from the first end that is whole; `undefined` when none is. */
export function tableInBytes(pack: Uint8Array, packId: number): PackTable | undefined {
  const view = ({ offset, bytes }: Span): Uint8Array => pack.subarray(offset, offset + bytes);
  for (const end of ["head", "tail"] as const) {
    try {
      const header = view(headerSpan(pack.length, end));
      const table = tableSpan(header, packId, pack.length, end);
      return decodeTable(header, view(table), table.offset);
    } catch (error) {
      // What is no table is looked through for records by the caller.
      if (!isOrthantError(error)) throw error;
    }
  }
  return undefined;
}

/** A stretch of a file. */
interface Span {
  readonly offset: number;
  readonly bytes: number;
}

function headerSpan(size: number, end: keyof PackEnds): Span {
  const bytes = Math.min(size, compactedPackHeader.bytes);
  return { offset: end === "head" ? 0 : size - bytes, bytes };
}

/** Where the table lies that belongs to a header, once that is known to be one. */
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

/** The checksum covers the header too, so that no run of zeros, and no table of another pack, can pass. */
function sealOf(header: Uint8Array, table: Uint8Array): number {
  return crc32(table, crc32(header.subarray(0, compactedPackHeader.offsets.tableCrc32)));
}

function joined(first: Uint8Array, second: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(first.length + second.length);
  bytes.set(first);
  bytes.set(second, first.length);
  return bytes;
}
