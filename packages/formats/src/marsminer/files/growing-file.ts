import { isOrthantError } from "@orthant/core";
import type { Disk, DiskFile } from "@orthant/disk";

/** Bytes to buffer before writing, so that a block of ten bytes does not cost a separate call. */
const HELD_BYTES_MAX = 262_144;

/** Options for a growing file. */
export interface GrowingFileOptions {
  readonly path: string;
  /** Bytes before the first added one; zeros in a new file. */
  readonly headBytes: number;
  /** Added bytes begin at a multiple of this after the head, overwriting the remains of a torn write. */
  readonly step: number;
}

/** A file to which bytes are added, never over bytes that may be referenced. */
export class GrowingFile {
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

async function openOrCreate(
  disk: Disk,
  path: string,
): Promise<{ readonly file: DiskFile; readonly isNew: boolean }> {
  try {
    return { file: await disk.open(path, "write"), isNew: false };
  } catch (error) {
    if (!isOrthantError(error, "ORT_NOT_FOUND")) throw error;
    return { file: await disk.open(path, "create"), isNew: true };
  }
}
