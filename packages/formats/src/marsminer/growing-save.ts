import { decode, encode, string } from "@orthant/core/bytes";
import type { Disk, DiskFile } from "@orthant/disk";
import { openOrCreate } from "../format/files.ts";
import { type BlockKind, type BlockKinds, blockKinds } from "./blocks.ts";
import {
  blobFile,
  headerStruct,
  MARSMINER_VERSION,
  POINTERS_FILE,
  pointerRecord,
  pointersHead,
  STRINGS_FILE,
  stringsHead,
} from "./layout.ts";
import { type BlockAddress, describeAddress, NULL_POINTER, type StoredPointer } from "./pointer.ts";

const HEADER = headerStruct("draft");
const KINDS = blockKinds("draft");

/** Names are short texts. The format has no limit, but our reader accepts this many bytes. */
const stringCodec = string();

/**
 * The files of a save of the dialect `draft`, to which blocks are added. Nothing takes effect before {@link
 * publish}.
 */
export class GrowingSave {
  readonly kinds: BlockKinds = KINDS;
  readonly #disk: Disk;
  readonly #blobFullBytes: number;
  readonly #blobs: GrowingFile[] = [];
  readonly #strings: GrowingFile;
  readonly #pointers: GrowingFile;
  /** Only of this session: the leftovers of an earlier one may be incomplete, or not durable. */
  readonly #knownStrings = new Map<string, number>();
  readonly #knownPointers = new Map<string, number>();
  #stringCount: number;
  #hasNewNames = false;

  private constructor(
    disk: Disk,
    blobFullBytes: number,
    strings: GrowingFile,
    pointers: GrowingFile,
    stringCount: number,
  ) {
    this.#disk = disk;
    this.#blobFullBytes = blobFullBytes;
    this.#strings = strings;
    this.#pointers = pointers;
    this.#stringCount = stringCount;
  }

  /** Opens the existing files, with `blobCount` blobs, and creates those that a new save needs. Rule M25. */
  static async open(disk: Disk, blobFullBytes: number, blobCount: number): Promise<GrowingSave> {
    const strings = await GrowingFile.open(disk, {
      path: STRINGS_FILE,
      headBytes: stringsHead.bytes,
      step: 1,
    });
    let pointers: Awaited<ReturnType<typeof GrowingFile.open>> | undefined;
    let save: GrowingSave | undefined;
    try {
      pointers = await GrowingFile.open(disk, {
        path: POINTERS_FILE,
        headBytes: pointersHead.bytes,
        step: pointerRecord.bytes,
      });
      const { stringCount } = decode(stringsHead, await strings.file.readHead(stringsHead.bytes));
      save = new GrowingSave(disk, blobFullBytes, strings.file, pointers.file, Math.max(0, stringCount));
      save.#hasNewNames = strings.isNew || pointers.isNew;
      for (let blob = 0; blob < Math.max(1, blobCount); blob++) await save.#openBlob(blob);
      await save.#showDialect();
      await save.#syncAll();
      // An earlier session may have created files without committing, so their names may not be durable.
      save.#hasNewNames = !strings.isNew;
      return save;
    } catch (error) {
      if (save !== undefined) await save.close();
      else for (const file of [strings.file, pointers?.file]) await file?.close();
      throw error;
    }
  }

  /** Adds a block. `make` receives the blob that will contain it, because its pointers depend on that. */
  async addBlock<Value>(
    kind: BlockKind<Value>,
    make: (home: number) => Promise<Value>,
  ): Promise<BlockAddress> {
    if (this.#lastBlob().end >= this.#blobFullBytes) await this.#openBlob(this.#blobs.length);
    const blob = this.#blobs.length - 1;
    const offset = await this.#lastBlob().add(encode(kind, await make(blob)));
    return { blob, offset };
  }

  /** Returns the pointer to a string, adding it unless this session has it. */
  async stringPointer(text: string | undefined): Promise<StoredPointer> {
    if (text === undefined) return NULL_POINTER;
    const known = this.#knownStrings.get(text);
    const address = known ?? (await this.#strings.add(encode(stringCodec, text)));
    if (known === undefined) {
      this.#knownStrings.set(text, address);
      this.#stringCount++;
    }
    return { kind: "local", address };
  }

  /**
   * Returns a pointer for use in the blob `home`. One to another blob needs a record, which is added unless
   * it is known.
   */
  async pointer(target: BlockAddress, home: number): Promise<StoredPointer> {
    if (target.blob === home) return { kind: "local", address: target.offset };
    const key = describeAddress(target);
    const known = this.#knownPointers.get(key);
    if (known !== undefined) return { kind: "record", index: known };
    const index = (this.#pointers.end - pointersHead.bytes) / pointerRecord.bytes;
    await this.#pointers.add(encode(pointerRecord, { blob: target.blob, address: target.offset }));
    this.#knownPointers.set(key, index);
    return { kind: "record", index };
  }

  /**
   * Makes everything added durable, then points the header at a state. Rules M26 and M27. The record of the
   * header's own pointer becomes durable before it.
   */
  async publish(state: BlockAddress): Promise<void> {
    const pointer = await this.pointer(state, 0);
    await this.#writeCounts();
    await this.#syncAll();
    const first = this.#blobs[0] as GrowingFile;
    await first.writeHead(encode(HEADER, { version: MARSMINER_VERSION, state: pointer }));
    await first.sync();
  }

  /** Closes the files. Unpublished content is not part of the save. */
  async close(): Promise<void> {
    for (const file of [this.#strings, this.#pointers, ...this.#blobs]) await file.close();
  }

  /**
   * A nonzero count of pointers identifies this dialect; without it, a save may be read as another. Rule M4.
   */
  async #showDialect(): Promise<void> {
    if (this.#pointers.end > pointersHead.bytes) return;
    await this.#pointers.add(encode(pointerRecord, { blob: 0, address: 0 }));
    await this.#pointers.writeHead(encode(pointersHead, { version: MARSMINER_VERSION, pointerCount: 1 }));
  }

  async #writeCounts(): Promise<void> {
    if (this.#strings.isDirty) {
      const head = { version: MARSMINER_VERSION, stringCount: this.#stringCount };
      await this.#strings.writeHead(encode(stringsHead, head));
    }
    if (this.#pointers.isDirty) {
      const pointerCount = (this.#pointers.end - pointersHead.bytes) / pointerRecord.bytes;
      await this.#pointers.writeHead(encode(pointersHead, { version: MARSMINER_VERSION, pointerCount }));
    }
  }

  async #syncAll(): Promise<void> {
    for (const file of [this.#strings, this.#pointers, ...this.#blobs]) await file.sync();
    if (!this.#hasNewNames) return;
    await this.#disk.syncDirectory("");
    this.#hasNewNames = false;
  }

  async #openBlob(blob: number): Promise<void> {
    const { file, isNew } = await GrowingFile.open(this.#disk, {
      path: blobFile(blob),
      headBytes: HEADER.bytes,
      step: 1,
    });
    this.#blobs.push(file);
    if (isNew) this.#hasNewNames = true;
  }

  #lastBlob(): GrowingFile {
    return this.#blobs.at(-1) as GrowingFile;
  }
}

/** Bytes to buffer before writing, so that a block of ten bytes does not cost a separate call. */
const HELD_BYTES_MAX = 262_144;

/** Options for a growing file. */
interface GrowingFileOptions {
  readonly path: string;
  /** Bytes before the first added one; zeros in a new file. */
  readonly headBytes: number;
  /** Added bytes begin at a multiple of this after the head, overwriting the remains of a torn write. */
  readonly step: number;
}

/** A file to which bytes are added, never over bytes that may be referenced. */
class GrowingFile {
  readonly path: string;
  readonly #file: DiskFile;
  readonly #held: Uint8Array[] = [];
  #heldBytes = 0;
  #end: number;
  #dirty: boolean;

  private constructor(path: string, file: DiskFile, end: number, dirty: boolean) {
    this.path = path;
    this.#file = file;
    this.#end = end;
    this.#dirty = dirty;
  }

  /** Opens a file, or creates it with a head of zeros. `isNew` tells which. */
  static async open(
    disk: Disk,
    { path, headBytes, step }: GrowingFileOptions,
  ): Promise<{ readonly file: GrowingFile; readonly isNew: boolean }> {
    const { file, isNew } = await openOrCreate(disk, path);
    try {
      const size = await file.size();
      // A file that a crash left without its head gets it now.
      if (size < headBytes) await file.writeAt(0, new Uint8Array(headBytes));
      const end = headBytes + Math.floor((Math.max(size, headBytes) - headBytes) / step) * step;
      return { file: new GrowingFile(path, file, end, size < headBytes), isNew };
    } catch (error) {
      await file.close();
      throw error;
    }
  }

  /** Offset of the next added bytes. */
  get end(): number {
    return this.#end;
  }

  /** Whether anything was added or written since the last sync. */
  get isDirty(): boolean {
    return this.#dirty;
  }

  /** Adds bytes, taking ownership of them. Returns their offset. */
  async add(bytes: Uint8Array): Promise<number> {
    const offset = this.#end;
    this.#held.push(bytes);
    this.#heldBytes += bytes.length;
    this.#end += bytes.length;
    this.#dirty = true;
    if (this.#heldBytes >= HELD_BYTES_MAX) await this.#write();
    return offset;
  }

  /** Reads the first bytes of the file. */
  readHead(length: number): Promise<Uint8Array> {
    return this.#file.readAt(0, length);
  }

  /** Overwrites the first bytes of the file. */
  async writeHead(bytes: Uint8Array): Promise<void> {
    this.#dirty = true;
    await this.#file.writeAt(0, bytes);
  }

  /** Makes everything added and written since the last sync durable. Does nothing if there is none. */
  async sync(): Promise<void> {
    if (!this.#dirty) return;
    await this.#write();
    await this.#file.sync();
    this.#dirty = false;
  }

  /** Closes the file. Unsynced bytes may be lost. */
  close(): Promise<void> {
    return this.#file.close();
  }

  async #write(): Promise<void> {
    if (this.#heldBytes === 0) return;
    const bytes = new Uint8Array(this.#heldBytes);
    let offset = 0;
    for (const piece of this.#held) {
      bytes.set(piece, offset);
      offset += piece.length;
    }
    this.#held.length = 0;
    this.#heldBytes = 0;
    await this.#file.writeAt(this.#end - bytes.length, bytes);
  }
}
