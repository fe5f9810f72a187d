import { crc32, decode, isOrthantError, OrthantError } from "@orthant/core";
import type { Disk, DiskFile } from "@orthant/disk";
import { FILE_VERSION, packHeader, type RecordHeader, recordHeader } from "../layout.ts";
import type { BlobRef } from "../records/blob-ref.ts";
import { atFile } from "./at-file.ts";
import { packFile } from "./file-names.ts";

/**
 * The packs of a save, each opened when it is first needed. Several saves may share a shelf: it closes its files
 * when the last of them lets go.
 */
export class PackShelf {
  readonly #disk: Disk;
  readonly #files = new Map<number, Promise<DiskFile>>();
  #holders = 1;

  constructor(disk: Disk) {
    this.#disk = disk;
  }

  /** The same shelf, held by one more. */
  share(): PackShelf {
    if (this.#holders === 0) throw new OrthantError("ORT_CLOSED", "the save was closed");
    this.#holders++;
    return this;
  }

  /** Lets go of the shelf. */
  async release(): Promise<void> {
    this.#holders--;
    if (this.#holders > 0) return;
    const files = [...this.#files.values()];
    this.#files.clear();
    for (const opening of files) {
      // A pack that could not be opened was reported to who asked for it; there is nothing to close.
      const file = await opening.catch(() => undefined);
      await file?.close();
    }
  }

  /** The payload of a record, once its header is the one that the reference means and its checksum is right. */
  async readPayload(ref: BlobRef, bytesMax: number): Promise<Uint8Array> {
    const path = packFile(ref.dataFileId);
    const offset = ref.recordOffset;
    const payloadBytes = ref.recordBytes - recordHeader.bytes;
    if (payloadBytes < 0 || payloadBytes > bytesMax) {
      throw new OrthantError("ORT_LIMIT", `a record with ${payloadBytes} bytes of payload`, { path, offset });
    }
    const file = await this.#open(ref.dataFileId);
    const record = await file.readAt(offset, ref.recordBytes);
    return atFile({ path }, () => checkRecord(record, ref));
  }

  /** Bytes of a pack as they are, to be checked by the caller; `undefined` when they cannot be read all at once. */
  async readSpan(packId: number, offset: number, length: number): Promise<Uint8Array | undefined> {
    try {
      return await (await this.#open(packId)).readAt(offset, length);
    } catch (error) {
      // Whoever then reads record by record finds out which of them cannot be read, and why.
      if (isOrthantError(error)) return undefined;
      throw error;
    }
  }

  #open(packId: number): Promise<DiskFile> {
    if (this.#holders === 0) throw new OrthantError("ORT_CLOSED", "the save was closed");
    let opening = this.#files.get(packId);
    if (opening === undefined) {
      opening = openPack(this.#disk, packId);
      this.#files.set(packId, opening);
      // A pack that cannot be opened now may be opened later; the failure itself goes to who asked.
      opening.catch(() => this.#files.delete(packId));
    }
    return opening;
  }
}

/** Throws unless the bytes begin with the header of this pack. Rule S10. */
export function checkPackHeader(bytes: Uint8Array, packId: number): void {
  const header = decode(packHeader, bytes);
  const { offsets } = packHeader;
  if (header.version !== FILE_VERSION) {
    const detail = `pack version ${header.version}, known is ${FILE_VERSION}`;
    throw new OrthantError("ORT_VERSION", detail, { offset: offsets.version });
  }
  if (header.packId !== packId) {
    const detail = `a pack that says it is ${header.packId}, not ${packId}`;
    throw new OrthantError("ORT_RECORD", detail, { offset: offsets.packId });
  }
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

async function openPack(disk: Disk, packId: number): Promise<DiskFile> {
  const path = packFile(packId);
  const file = await disk.open(path, "read");
  try {
    const header = await file.readAt(0, packHeader.bytes);
    atFile({ path }, () => checkPackHeader(header, packId));
    return file;
  } catch (error) {
    await file.close();
    throw error;
  }
}

function decodeHeader(record: Uint8Array, offset: number): RecordHeader {
  try {
    return decode(recordHeader, record.subarray(0, recordHeader.bytes));
  } catch (cause) {
    if (!isOrthantError(cause)) throw cause;
    throw new OrthantError(cause.code, `no record: ${cause.detail}`, { offset }, { cause });
  }
}
