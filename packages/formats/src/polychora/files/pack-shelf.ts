import { crc32, decode, isOrthantError, OrthantError } from "@orthant/core";
import type { Disk } from "@orthant/disk";
import { atFile } from "../../files/at-file.ts";
import { type RecordHeader, recordHeader } from "../layout.ts";
import type { BlobRef } from "../records/blob-ref.ts";
import { packFile } from "./file-names.ts";
import { OpenPack } from "./open-pack.ts";

/** How to read packs. */
export interface ShelfOptions {
  /** Also reads a pack whose header is damaged, as one that was never compacted. */
  readonly isLenient?: boolean;
}

/** So many packs are open at most, unless more are being read at the same moment. */
const OPEN_PACKS_MAX = 256;

/**
 * The packs of a save, each opened when it is first needed. Several saves may share a shelf: it closes its files
 * when the last of them lets go.
 */
export class PackShelf {
  readonly #disk: Disk;
  readonly #options: ShelfOptions;
  /** The one that was used longest ago comes first. */
  readonly #slots = new Map<number, Slot>();
  #holders = 1;

  constructor(disk: Disk, options: ShelfOptions = {}) {
    this.#disk = disk;
    this.#options = options;
  }

  /** The same shelf, held by one more. */
  share(): PackShelf {
    this.#requireOpen();
    this.#holders++;
    return this;
  }

  /** Lets go of the shelf. */
  async release(): Promise<void> {
    this.#holders--;
    if (this.#holders > 0) return;
    await Promise.all([...this.#slots.keys()].map((packId) => this.refresh(packId)));
  }

  /**
   * Forgets an open pack, because another file has its name now. Reads that have begun end with the old file; it is
   * closed behind the last of them.
   */
  async refresh(packId: number): Promise<void> {
    const slot = this.#slots.get(packId);
    if (slot === undefined) return;
    this.#slots.delete(packId);
    slot.isForgotten = true;
    await closeUnused(slot);
  }

  /** The payload of a record, once its header is the one that the reference means and its checksum is right. */
  async readPayload(ref: BlobRef, bytesMax: number): Promise<Uint8Array> {
    const path = packFile(ref.dataFileId);
    const offset = ref.recordOffset;
    const payloadBytes = ref.recordBytes - recordHeader.bytes;
    if (payloadBytes < 0 || payloadBytes > bytesMax) {
      throw new OrthantError("ORT_LIMIT", `a record with ${payloadBytes} bytes of payload`, { path, offset });
    }
    const record = await this.#read(ref.dataFileId, (pack) => pack.readRecord(offset, ref.recordBytes));
    return atFile({ path }, () => checkRecord(record, ref));
  }

  /**
   * Bytes of a pack as it was first written, to be checked by the caller; zeros where compaction left something out.
   * `undefined` when they cannot be read all at once.
   */
  async readSpan(packId: number, offset: number, length: number): Promise<Uint8Array | undefined> {
    try {
      return await this.#read(packId, (pack) => pack.readSpan(offset, length));
    } catch (error) {
      // Whoever then reads record by record finds out which of them cannot be read, and why.
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
      // A pack that cannot be opened now may be opened later; the failure itself goes to who asked.
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
    // Nothing can be lost of a file that is only read, so it is nobody's concern when it does not close.
    this.refresh(oldest).catch(() => undefined);
  }

  #requireOpen(): void {
    if (this.#holders === 0) throw new OrthantError("ORT_CLOSED", "the save was closed");
  }
}

/** An open pack, and how many read from it. */
interface Slot {
  readonly opening: Promise<OpenPack>;
  readers: number;
  isForgotten: boolean;
}

async function closeUnused({ opening, readers, isForgotten }: Slot): Promise<void> {
  if (readers > 0 || !isForgotten) return;
  // A pack that could not be opened was reported to who asked for it; there is nothing to close.
  const pack = await opening.catch(() => undefined);
  await pack?.close();
}

/** The payload of a record that is the one meant; otherwise throws. Rules S11 and S12. */
export function checkRecord(record: Uint8Array, ref: BlobRef): Uint8Array {
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
