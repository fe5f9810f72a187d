import { isOrthantError, OrthantError } from "@orthant/core";
import { type Disk, type DiskFile, parentOf } from "@orthant/disk";
import { temporaryPath, type WriterLock } from "../../files/write-temporary.ts";

/** Whether a file that is there may be replaced. */
export type Replacing = "replace" | "keep";

/** How a new file comes to be. */
export interface NewFileOptions {
  /** Whether a file of that name may be replaced; `keep` unless it is given. */
  readonly replacing?: Replacing;
  /** The lock of the file. A writer without one must be the only one. */
  readonly lock?: WriterLock;
}

/**
 * A file that is written under another name and gets its own at the end: it is there whole, or what was there before
 * is.
 */
export class NewFile {
  readonly #disk: Disk;
  readonly #path: string;
  readonly #temporary: string;
  readonly #file: DiskFile;
  readonly #lock: WriterLock | undefined;
  #finished = false;

  private constructor(disk: Disk, path: string, file: DiskFile, lock: WriterLock | undefined) {
    this.#disk = disk;
    this.#path = path;
    this.#temporary = temporaryPath(path, lock);
    this.#file = file;
    this.#lock = lock;
  }

  /** Begins the file. What an earlier attempt left is removed. `ORT_EXISTS` for a file that may not be replaced. */
  static async create(disk: Disk, path: string, options: NewFileOptions = {}): Promise<NewFile> {
    const { replacing = "keep", lock } = options;
    if (replacing === "keep" && (await fileExists(disk, path))) {
      throw new OrthantError("ORT_EXISTS", "there is a file of that name already", { path });
    }
    const temporary = temporaryPath(path, lock);
    await disk.remove(temporary);
    return new NewFile(disk, path, await disk.open(temporary, "create"), lock);
  }

  /** Adds bytes at the end; gives where they begin. */
  append(bytes: Uint8Array): Promise<number> {
    return this.#file.append(bytes);
  }

  /** Overwrites bytes. */
  writeAt(offset: number, bytes: Uint8Array): Promise<void> {
    return this.#file.writeAt(offset, bytes);
  }

  /** Makes the content durable, under the other name still. */
  seal(): Promise<void> {
    return this.#file.sync();
  }

  /**
   * Gives the file its name, durably. Until this is called nothing has happened to the file that had it. The lock is
   * checked first: the process that takes it later removes the file before the name is given, or finds it named.
   */
  async publish(): Promise<void> {
    await this.#lock?.requireHeld();
    await this.#disk.rename(this.#temporary, this.#path);
    await this.#disk.syncDirectory(parentOf(this.#path));
    this.#finished = true;
  }

  /** Closes the file, and removes it unless it is finished. */
  async close(): Promise<void> {
    await this.#file.close();
    if (!this.#finished) await this.#disk.remove(this.#temporary);
    this.#finished = true;
  }
}

/** Whether there is such a file. */
async function fileExists(disk: Disk, path: string): Promise<boolean> {
  try {
    await (await disk.open(path, "read")).close();
    return true;
  } catch (error) {
    if (isOrthantError(error, "ORT_NOT_FOUND")) return false;
    throw error;
  }
}
