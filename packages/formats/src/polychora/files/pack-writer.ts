import { ByteWriter, crc32, isOrthantError, OrthantError } from "@orthant/core";
import type { Disk, DiskFile } from "@orthant/disk";
import { atFile } from "../../files/at-file.ts";
import { COMPACTED_PACK_VERSION, DATA_FOLDER, FILE_VERSION, packHeader, recordHeader } from "../layout.ts";
import type { BlobRef } from "../records/blob-ref.ts";
import { packFile, parsePackFile } from "./file-names.ts";
import { checkPackHeader } from "./open-pack.ts";

/** A blob that should become a record. */
export interface NewRecord {
  readonly blobType: number;
  readonly blobVersion: number;
  readonly payload: Uint8Array;
}

/** Records are gathered up to this many bytes before they are written. */
const BATCH_BYTES = 8 * 1024 * 1024;

/** Appends records to the active pack and begins a new one when it is full. Rules S10, S11 and S43. */
export class PackWriter {
  readonly #disk: Disk;
  readonly #fileMaxBytes: number;
  readonly #unsynced = new Set<DiskFile>();
  readonly #batch = new ByteWriter();
  #packId: number;
  #highestId: number;
  #file: DiskFile;
  #size: number;
  #namesChanged = false;

  private constructor(disk: Disk, fileMaxBytes: number, packId: number, file: DiskFile, size: number) {
    this.#disk = disk;
    this.#fileMaxBytes = fileMaxBytes;
    this.#packId = packId;
    this.#highestId = packId;
    this.#file = file;
    this.#size = size;
  }

  /** Makes the first pack of a save. */
  static async create(disk: Disk, fileMaxBytes: number): Promise<PackWriter> {
    const file = await disk.open(packFile(1), "create");
    const writer = new PackWriter(disk, fileMaxBytes, 1, file, 0);
    await writer.#writeHeader();
    return writer;
  }

  /**
   * Goes on behind whatever the active pack holds: what a crash left at its end stays where it is. Behind a pack that
   * was compacted, as the last one of an older generation may have been, begins a new one.
   */
  static async resume(disk: Disk, fileMaxBytes: number, packId: number): Promise<PackWriter> {
    const path = packFile(packId);
    const file = await disk.open(path, "write");
    try {
      const header = await file.readAt(0, packHeader.bytes);
      const version = atFile({ path }, () => checkPackHeader(header, packId));
      const writer = new PackWriter(disk, fileMaxBytes, packId, file, await file.size());
      // A commit that was cut off may have begun a pack; its name is never used again.
      for (const { name } of await disk.list(DATA_FOLDER)) {
        writer.#highestId = Math.max(writer.#highestId, parsePackFile(`${DATA_FOLDER}/${name}`) ?? 0);
      }
      if (version === COMPACTED_PACK_VERSION) await writer.beginPack();
      return writer;
    } catch (error) {
      await file.close();
      throw error;
    }
  }

  /** The id of the pack that the next record goes to, unless it is full. */
  get activeId(): number {
    return this.#packId;
  }

  /** Bytes of the active pack. */
  get activeBytes(): number {
    return this.#size + this.#batch.length;
  }

  /** Appends records in their order. They are durable only after {@link sync}. */
  async append(records: Iterable<NewRecord>): Promise<readonly BlobRef[]> {
    const refs: BlobRef[] = [];
    for (const { blobType, blobVersion, payload } of records) {
      const recordBytes = recordHeader.bytes + payload.length;
      const end = this.#size + this.#batch.length;
      if (end + recordBytes > this.#fileMaxBytes && end > packHeader.bytes) await this.beginPack();
      else if (this.#batch.length > 0 && this.#batch.length + recordBytes > BATCH_BYTES) await this.#flush();
      const ref: BlobRef = {
        dataFileId: this.#packId,
        recordOffset: this.#size + this.#batch.length,
        recordBytes,
        recordCrc32: crc32(payload),
        blobType,
        blobVersion,
      };
      recordHeader.write(this.#batch, {
        magic: "RECD",
        blobType,
        blobVersion,
        payloadBytes: payload.length,
        payloadCrc32: ref.recordCrc32,
      });
      this.#batch.raw(payload);
      refs.push(ref);
    }
    await this.#flush();
    return refs;
  }

  /** Begins a new pack, whatever room is left in the active one. */
  async beginPack(): Promise<void> {
    await this.#flush();
    const full = this.#file;
    const { packId, file } = await this.#createPack();
    this.#file = file;
    if (!this.#unsynced.has(full)) await full.close();
    this.#packId = packId;
    this.#highestId = packId;
    this.#size = 0;
    await this.#writeHeader();
  }

  /** Begins a new pack and writes its header at once: nothing may follow for long. */
  async roll(): Promise<void> {
    await this.beginPack();
    await this.#flush();
  }

  /** Makes all that was appended durable: each pack once, and their folder when it has a new name. */
  async sync(): Promise<void> {
    for (const file of this.#unsynced) {
      await file.sync();
      if (file !== this.#file) await file.close();
    }
    this.#unsynced.clear();
    if (this.#namesChanged) await this.#disk.syncDirectory(DATA_FOLDER);
    this.#namesChanged = false;
  }

  /** Closes the packs. What was not synced may be lost. */
  async close(): Promise<void> {
    for (const file of this.#unsynced) await file.close();
    await this.#file.close();
  }

  /** Makes the file of the next pack. A writer that lost the lock may have made one of that name: it is left alone. */
  async #createPack(): Promise<{ readonly packId: number; readonly file: DiskFile }> {
    for (let packId = this.#highestId + 1; ; packId++) {
      try {
        return { packId, file: await this.#disk.open(packFile(packId), "create") };
      } catch (error) {
        if (!isOrthantError(error, "ORT_EXISTS")) throw error;
      }
    }
  }

  /** The header goes out with the first records: one write, and one thing less that can be torn. */
  async #writeHeader(): Promise<void> {
    this.#namesChanged = true;
    packHeader.write(this.#batch, { magic: "V4DT", version: FILE_VERSION, packId: this.#packId });
  }

  async #flush(): Promise<void> {
    if (this.#batch.length === 0) return;
    const bytes = this.#batch.copy();
    this.#batch.clear();
    this.#unsynced.add(this.#file);
    const offset = await this.#file.append(bytes);
    if (offset !== this.#size) {
      const path = packFile(this.#packId);
      throw new OrthantError("ORT_LOCKED", `somebody else wrote to the pack`, { path, offset: this.#size });
    }
    this.#size += bytes.length;
  }
}
