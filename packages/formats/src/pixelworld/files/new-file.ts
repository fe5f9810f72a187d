import { isOrthantError, OrthantError } from "@orthant/core";
import { type Disk, type DiskFile, parentOf } from "@orthant/disk";
import { TEMPORARY_SUFFIX } from "../../files/write-temporary.ts";

/** Whether a file that is there may be replaced. */
export type Replacing = "replace" | "keep";

/**
 * A file that is written under another name and gets its own at the end: it is there whole, or what was there before
 * is.
 */
export class NewFile {
  readonly #disk: Disk;
  readonly #path: string;
  readonly #file: DiskFile;
  #finished = false;

  private constructor(disk: Disk, path: string, file: DiskFile) {
    this.#disk = disk;
    this.#path = path;
    this.#file = file;
  }

  /** Begins the file. What an earlier attempt left is removed. `ORT_EXISTS` for a file that may not be replaced. */
  static async create(disk: Disk, path: string, replacing: Replacing = "keep"): Promise<NewFile> {
    if (replacing === "keep" && (await fileExists(disk, path))) {
      throw new OrthantError("ORT_EXISTS", "there is a file of that name already", { path });
    }
    await disk.remove(path + TEMPORARY_SUFFIX);
    return new NewFile(disk, path, await disk.open(path + TEMPORARY_SUFFIX, "create"));
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

  /** Gives the file its name, durably. Until this is called nothing has happened to the file that had it. */
  async publish(): Promise<void> {
    await this.#disk.rename(this.#path + TEMPORARY_SUFFIX, this.#path);
    await this.#disk.syncDirectory(parentOf(this.#path));
    this.#finished = true;
  }

  /** Closes the file, and removes it unless it is finished. */
  async close(): Promise<void> {
    await this.#file.close();
    if (!this.#finished) await this.#disk.remove(this.#path + TEMPORARY_SUFFIX);
    this.#finished = true;
  }
}

/** Whether there is such a file. */
export async function fileExists(disk: Disk, path: string): Promise<boolean> {
  try {
    await (await disk.open(path, "read")).close();
    return true;
  } catch (error) {
    if (isOrthantError(error, "ORT_NOT_FOUND")) return false;
    throw error;
  }
}
