import { decode, isOrthantError, OrthantError } from "@orthant/core";
import type { Disk, DiskFile } from "@orthant/disk";
import { atFileLater } from "@orthant/disk/files";
import { packFile } from "../codec/file-names.ts";
import { COMPACTED_PACK_VERSION, FILE_VERSION, packHeader } from "../codec/layout.ts";
import { type PackTable, readPackTable } from "./pack-table.ts";

/**
 * Maximum bytes read from a compacted pack at once. No valid caller needs more, but a wrong reference may ask
 * for anything.
 */
const SPAN_BYTES_MAX = 64 * 1024 * 1024;

/** A pack opened for reading. Offsets are those of references, whether or not the pack was compacted. */
export class OpenPack {
  readonly #path: string;
  readonly #file: DiskFile;
  readonly #table: PackTable | undefined;

  private constructor(path: string, file: DiskFile, table: PackTable | undefined) {
    this.#path = path;
    this.#file = file;
    this.#table = table;
  }

  /** Opens a pack. A lenient reader treats a pack with a damaged header as never compacted. */
  static async open(disk: Disk, packId: number, isLenient = false): Promise<OpenPack> {
    const path = packFile(packId);
    const file = await disk.open(path, "read");
    try {
      return new OpenPack(path, file, await atFileLater({ path }, () => tableOf(file, packId)));
    } catch (error) {
      if (isLenient && isOrthantError(error)) return new OpenPack(path, file, undefined);
      await file.close();
      throw error;
    }
  }

  /** Reads the bytes of a record without checking them. */
  readRecord(offset: number, bytes: number): Promise<Uint8Array> {
    return this.#file.readAt(this.positionOf(offset, bytes), bytes);
  }

  /** Returns the offset of a record in the file. */
  positionOf(offset: number, bytes: number): number {
    if (this.#table === undefined) return offset;
    const record = this.#table.find(offset);
    if (record?.bytes === bytes) return record.offset;
    const detail = `no record of ${bytes} bytes: no generation needed it when the pack was compacted`;
    throw new OrthantError("ORT_RECORD", detail, { path: this.#path, offset });
  }

  /** Reads bytes of the pack as first written, with zeros where compaction dropped something. */
  async readSpan(offset: number, length: number): Promise<Uint8Array> {
    const table = this.#table;
    if (table === undefined) return this.#file.readAt(offset, length);
    const records = [];
    for (let index = table.seek(offset); index < table.count; index++) {
      const record = table.record(index);
      if (record.firstOffset + record.bytes > offset + length) break;
      records.push(record);
    }
    if (length > SPAN_BYTES_MAX) {
      throw new OrthantError("ORT_LIMIT", `${length} bytes at once`, { path: this.#path, offset });
    }
    const bytes = new Uint8Array(length);
    const [first, last] = [records[0], records.at(-1)];
    if (first === undefined || last === undefined) return bytes;
    // Compaction never moves records further apart, so this reads no more than requested.
    const packed = await this.#file.readAt(first.offset, last.offset + last.bytes - first.offset);
    for (const record of records) {
      const start = record.offset - first.offset;
      bytes.set(packed.subarray(start, start + record.bytes), record.firstOffset - offset);
    }
    return bytes;
  }

  /** Returns how much of the file contains all records up to an offset: all of it, for a compacted pack. */
  async bytesUpTo(offset: number): Promise<number> {
    return this.#table === undefined ? offset : this.#file.size();
  }

  /** Reads raw bytes of the file. */
  readFile(offset: number, length: number): Promise<Uint8Array> {
    return this.#file.readAt(offset, length);
  }

  /** Closes the file. */
  close(): Promise<void> {
    return this.#file.close();
  }
}

/** Throws unless the bytes begin with the header of this pack. Returns its version. Rule S10. */
export function checkPackHeader(bytes: Uint8Array, packId: number): number {
  const header = decode(packHeader, bytes.subarray(0, packHeader.bytes));
  const { offsets } = packHeader;
  if (header.version !== FILE_VERSION && header.version !== COMPACTED_PACK_VERSION) {
    const detail = `pack version ${header.version}, known are ${FILE_VERSION} and ${COMPACTED_PACK_VERSION}`;
    throw new OrthantError("ORT_VERSION", detail, { offset: offsets.version });
  }
  if (header.packId !== packId) {
    const detail = `a pack that says it is ${header.packId}, not ${packId}`;
    throw new OrthantError("ORT_RECORD", detail, { offset: offsets.packId });
  }
  return header.version;
}

/** Returns `undefined` for a pack that was never compacted. */
async function tableOf(file: DiskFile, packId: number): Promise<PackTable | undefined> {
  try {
    const bytes = await file.readAt(0, Math.min(packHeader.bytes, await file.size()));
    if (checkPackHeader(bytes, packId) === FILE_VERSION) return undefined;
  } catch (error) {
    // A compacted pack repeats its header at its end.
    return readPackTable(file, packId).catch(() => {
      throw error;
    });
  }
  return readPackTable(file, packId);
}
