import { isOrthantError, OrthantError } from "@orthant/core";
import { crc32, decode } from "@orthant/core/bytes";
import type { Disk, DiskFile } from "@orthant/disk";
import { atFile, atFileAsync } from "@orthant/disk/files";
import type { RecordRef } from "../codec/blob.ts";
import { packFile } from "../codec/files.ts";
import {
  COMPACTED_PACK_VERSION,
  FILE_VERSION,
  packHeader,
  type RecordHeader,
  recordHeader,
} from "../codec/layout.ts";
import { type PackTable, readPackTable } from "./pack-table.ts";

/** Options for reading packs. */
interface PackReaderOptions {
  /** Also reads a pack with a damaged header, as one that was never compacted. */
  readonly isLenient?: boolean;
}

/** Maximum number of open packs, unless more are being read at once. */
const OPEN_PACKS_MAX = 256;

/**
 * The packs of a save, each opened on first use. Several saves may share a reader, which closes its files when
 * the last one releases it.
 */
export class PackReader {
  readonly #disk: Disk;
  readonly #options: PackReaderOptions;
  /** Least recently used first. */
  readonly #slots = new Map<number, Slot>();
  #holders = 1;

  constructor(disk: Disk, options: PackReaderOptions = {}) {
    this.#disk = disk;
    this.#options = options;
  }

  /** Returns the same reader with one more holder. */
  share(): PackReader {
    this.#requireOpen();
    this.#holders++;
    return this;
  }

  /** Releases one hold on the reader. */
  async release(): Promise<void> {
    this.#holders--;
    if (this.#holders > 0) return;
    await Promise.all([...this.#slots.keys()].map((packId) => this.refresh(packId)));
  }

  /**
   * Forgets an open pack because another file has its name now. Running reads finish with the old file, which
   * is closed after the last of them.
   */
  async refresh(packId: number): Promise<void> {
    const slot = this.#slots.get(packId);
    if (slot === undefined) return;
    this.#slots.delete(packId);
    slot.isForgotten = true;
    await closeUnused(slot);
  }

  /** Reads the payload of a record. Checks that its header matches the reference, and its checksum. */
  async readPayload(ref: RecordRef, bytesMax: number): Promise<Uint8Array> {
    const path = packFile(ref.packId);
    const offset = ref.recordOffset;
    const payloadBytes = ref.recordBytes - recordHeader.bytes;
    if (payloadBytes < 0 || payloadBytes > bytesMax) {
      throw new OrthantError("ORT_LIMIT", `a record with ${payloadBytes} bytes of payload`, { path, offset });
    }
    const record = await this.#read(ref.packId, (pack) => pack.readRecord(offset, ref.recordBytes));
    return atFile({ path }, () => checkRecord(record, ref));
  }

  /**
   * Reads unchecked bytes of a pack as first written, with zeros where compaction dropped something. Returns
   * `undefined` if they cannot be read at once.
   */
  async readSpan(packId: number, offset: number, length: number): Promise<Uint8Array | undefined> {
    try {
      return await this.#read(packId, (pack) => pack.readSpan(offset, length));
    } catch (error) {
      // The caller then reads record by record, which shows which of them is unreadable, and why.
      if (isOrthantError(error)) return undefined;
      throw error;
    }
  }

  async #read<Value>(packId: number, read: (pack: OpenPack) => Promise<Value>): Promise<Value> {
    const slot = this.#slotOf(packId);
    slot.readers++;
    try {
      return await read(await slot.opening);
    } finally {
      slot.readers--;
      await closeUnused(slot);
    }
  }

  #slotOf(packId: number): Slot {
    this.#requireOpen();
    let slot = this.#slots.get(packId);
    this.#slots.delete(packId);
    if (slot === undefined) {
      const opening = OpenPack.open(this.#disk, packId, this.#options.isLenient);
      const opened: Slot = { opening, readers: 0, isForgotten: false };
      // A pack that cannot be opened now may be opened later. The caller receives the failure itself.
      opening.catch(() => {
        if (this.#slots.get(packId) === opened) this.#slots.delete(packId);
      });
      slot = opened;
    }
    this.#slots.set(packId, slot);
    this.#closeOldest();
    return slot;
  }

  #closeOldest(): void {
    const [oldest] = this.#slots.keys();
    if (this.#slots.size <= OPEN_PACKS_MAX || oldest === undefined) return;
    // Closing a file that was only read cannot lose anything, so a failure is ignored.
    this.refresh(oldest).catch(() => undefined);
  }

  #requireOpen(): void {
    if (this.#holders === 0) throw new OrthantError("ORT_CLOSED", "the save was closed");
  }
}

/** An open pack, and its number of running reads. */
interface Slot {
  readonly opening: Promise<OpenPack>;
  readers: number;
  isForgotten: boolean;
}

async function closeUnused({ opening, readers, isForgotten }: Slot): Promise<void> {
  if (readers > 0 || !isForgotten) return;
  // The failure to open was already reported to the caller, and there is nothing to close.
  const pack = await opening.catch(() => undefined);
  await pack?.close();
}

/** Returns the payload of a record; throws unless it matches the reference. Rules S11 and S12. */
export function checkRecord(record: Uint8Array, ref: RecordRef): Uint8Array {
  const offset = ref.recordOffset;
  const header = decodeHeader(record, offset);
  const payload = record.subarray(recordHeader.bytes);
  const same =
    header.blobType === ref.blobType &&
    header.blobVersion === ref.blobVersion &&
    header.payloadBytes === payload.length &&
    header.payloadCrc32 === ref.recordCrc32;
  if (!same) {
    const { blobType, blobVersion, payloadBytes } = header;
    const detail = `a record of type ${blobType}, version ${blobVersion}, ${payloadBytes} bytes, other than meant`;
    throw new OrthantError("ORT_RECORD", detail, { offset });
  }
  if (crc32(payload) !== header.payloadCrc32) {
    throw new OrthantError("ORT_CHECKSUM", "the record is damaged", { offset });
  }
  return payload;
}

function decodeHeader(record: Uint8Array, offset: number): RecordHeader {
  try {
    return decode(recordHeader, record.subarray(0, recordHeader.bytes));
  } catch (cause) {
    if (!isOrthantError(cause)) throw cause;
    throw new OrthantError(cause.code, `no record: ${cause.detail}`, { offset }, { cause });
  }
}

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
      return new OpenPack(path, file, await atFileAsync({ path }, () => tableOf(file, packId)));
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
    const detail = `unsupported pack version ${header.version} (expected ${FILE_VERSION} or ${COMPACTED_PACK_VERSION})`;
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
