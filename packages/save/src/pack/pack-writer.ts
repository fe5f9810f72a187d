import { isOrthantError, OrthantError } from "@orthant/core";
import { ByteWriter, crc32 } from "@orthant/core/bytes";
import type { Disk, DiskFile } from "@orthant/disk";
import { atFile } from "@orthant/disk/files";
import type { RecordRef } from "../codec/blob.ts";
import { packFile, parsePackFile } from "../codec/files.ts";
import {
  COMPACTED_PACK_VERSION,
  DATA_FOLDER,
  FILE_VERSION,
  packHeader,
  recordHeader,
} from "../codec/layout.ts";
import { checkPackHeader } from "./pack-reader.ts";

/** A blob to be written as a record. */
export interface NewRecord {
  readonly blobType: number;
  readonly blobVersion: number;
  readonly payload: Uint8Array;
}

/** Bytes of records to collect before writing them. */
const BATCH_BYTES = 8 * 1024 * 1024;

/** Appends records to the active pack and begins a new pack when it is full. Rules S10, S11 and S43. */
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
  /** The active pack as of the last {@link sync}. */
  #synced: { readonly packId: number; readonly size: number };
  /** Packs begun since then. */
  readonly #begun: number[] = [];
  /** Whether the next record goes to a new pack. */
  #isLeft = false;

  private constructor(disk: Disk, fileMaxBytes: number, packId: number, file: DiskFile, size: number) {
    this.#disk = disk;
    this.#fileMaxBytes = fileMaxBytes;
    this.#packId = packId;
    this.#highestId = packId;
    this.#file = file;
    this.#size = size;
    this.#synced = { packId, size };
  }

  /** Creates the first pack of a save. */
  static async create(disk: Disk, fileMaxBytes: number): Promise<PackWriter> {
    const file = await disk.open(packFile(1), "create");
    const writer = new PackWriter(disk, fileMaxBytes, 1, file, 0);
    await writer.#writeHeader();
    return writer;
  }

  /**
   * Continues after the existing content of the active pack; leftovers of a crash at its end stay. Begins a
   * new pack if the active one was compacted, as the last pack of an older generation may have been.
   */
  static async resume(disk: Disk, fileMaxBytes: number, packId: number): Promise<PackWriter> {
    const path = packFile(packId);
    const file = await disk.open(path, "write");
    try {
      const header = await file.readAt(0, packHeader.bytes);
      const version = atFile({ path }, () => checkPackHeader(header, packId));
      const writer = new PackWriter(disk, fileMaxBytes, packId, file, await file.size());
      // An interrupted commit may have begun a pack, whose name is never reused.
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

  /**
   * Continues a pack at a size that it had when it was synced, and removes what follows it. Throws `ORT_TRUNCATED` if the
   * pack is shorter.
   */
  static async resumeAt(disk: Disk, fileMaxBytes: number, packId: number, size: number): Promise<PackWriter> {
    const path = packFile(packId);
    const file = await disk.open(path, "write");
    try {
      const found = await file.size();
      if (found < size)
        throw new OrthantError("ORT_TRUNCATED", `${found} bytes where ${size} were written`, { path });
      if (found > size) await file.truncate(size);
      return new PackWriter(disk, fileMaxBytes, packId, file, size);
    } catch (error) {
      await file.close();
      throw error;
    }
  }

  /** Id of the pack that receives the next record, unless it is full. */
  get activeId(): number {
    return this.#packId;
  }

  /** Size of the active pack. */
  get activeBytes(): number {
    return this.#size + this.#batch.length;
  }

  /** Appends records in order. They are durable only after {@link sync}. */
  async append(records: Iterable<NewRecord>): Promise<readonly RecordRef[]> {
    const refs: RecordRef[] = [];
    for (const { blobType, blobVersion, payload } of records) {
      const recordBytes = recordHeader.bytes + payload.length;
      const end = this.#size + this.#batch.length;
      const isFull = end + recordBytes > this.#fileMaxBytes && end > packHeader.bytes;
      if (this.#isLeft || isFull) await this.beginPack();
      else if (this.#batch.length > 0 && this.#batch.length + recordBytes > BATCH_BYTES) await this.#flush();
      const ref: RecordRef = {
        packId: this.#packId,
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

  /** Begins a new pack, even if the active one has room left. */
  async beginPack(): Promise<void> {
    await this.#flush();
    const full = this.#file;
    const { packId, file } = await this.#createPack();
    this.#begun.push(packId);
    this.#file = file;
    if (!this.#unsynced.has(full)) await full.close();
    this.#packId = packId;
    this.#highestId = packId;
    this.#size = 0;
    this.#isLeft = false;
    await this.#writeHeader();
  }

  /** Writes nothing more to the active pack. The next record begins a new one, which needs room only then. */
  leavePack(): void {
    this.#isLeft = true;
  }

  /** Begins a new pack and writes its header at once, because no record may follow for long. */
  async roll(): Promise<void> {
    await this.beginPack();
    await this.#flush();
  }

  /** Makes everything appended durable: syncs each pack once, and their folder if it has a new name. */
  async sync(): Promise<void> {
    for (const file of this.#unsynced) {
      await file.sync();
      if (file !== this.#file) await file.close();
    }
    this.#unsynced.clear();
    if (this.#namesChanged) await this.#disk.syncDirectory(DATA_FOLDER);
    this.#namesChanged = false;
    this.#synced = { packId: this.#packId, size: this.#size };
    this.#begun.length = 0;
  }

  /**
   * Removes everything since the last {@link sync}, after a write or a sync that failed, and leaves the active pack.
   * What it removes takes no room from the next attempt. May be repeated if it fails.
   */
  async discardUnsynced(): Promise<void> {
    this.#batch.clear();
    await this.close();
    this.#unsynced.clear();
    while (this.#begun.length > 0) {
      await this.#disk.remove(packFile(this.#begun.at(-1) as number));
      this.#begun.pop();
    }
    const { packId, size } = this.#synced;
    this.#file = await this.#disk.open(packFile(packId), "write");
    this.#packId = packId;
    this.#size = size;
    this.#isLeft = true;
    // Not synced: a cut that is lost only leaves bytes at the end that nothing refers to.
    if ((await this.#file.size()) > size) await this.#file.truncate(size);
  }

  /**
   * Returns the id of the active pack if it has no record and no manifest names it, because it was begun since the last
   * {@link sync}. Only once: after its removal the next writer may use the id again.
   */
  forgetEmpty(): number | undefined {
    if (this.activeBytes > packHeader.bytes || this.#begun.at(-1) !== this.#packId) return undefined;
    return this.#begun.pop();
  }

  /** Closes the packs. Unsynced records may be lost. */
  async close(): Promise<void> {
    for (const file of this.#unsynced) await file.close();
    await this.#file.close();
  }

  /** Creates the file of the next pack. Skips a name that a writer without the lock may have created. */
  async #createPack(): Promise<{ readonly packId: number; readonly file: DiskFile }> {
    for (let packId = this.#highestId + 1; ; packId++) {
      try {
        return { packId, file: await this.#disk.open(packFile(packId), "create") };
      } catch (error) {
        if (!isOrthantError(error, "ORT_EXISTS")) throw error;
      }
    }
  }

  /** The header is written with the first records: one write, and one less thing that can be torn. */
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
      throw new OrthantError("ORT_LOCKED", "another process wrote to the pack", { path, offset: this.#size });
    }
    this.#size += bytes.length;
  }
}
