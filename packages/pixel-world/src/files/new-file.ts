import { isOrthantError, OrthantError } from "@orthant/core";
import { type Disk, type DiskFile, parentOf } from "@orthant/disk";
import { temporaryPath, type WriterLock } from "@orthant/disk/files";

/** Whether an existing file may be replaced. */
export type Replacing = "replace" | "keep";

/** Options of {@link NewFile.create}. */
export interface NewFileOptions {
  /** Whether an existing file may be replaced; `keep` by default. */
  readonly replacing?: Replacing;
  /** The lock of the file. Without a lock there must be no other writer. */
  readonly lock?: WriterLock;
}

/**
 * A file that is written under a temporary name and renamed at the end, so that a crash leaves either the
 * whole new file or the previous one.
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

  /**
   * Starts the file, and removes the remains of an earlier attempt. Throws `ORT_EXISTS` if the file exists
   * and may not be replaced.
   */
  static async create(disk: Disk, path: string, options: NewFileOptions = {}): Promise<NewFile> {
    const { replacing = "keep", lock } = options;
    if (replacing === "keep" && (await fileExists(disk, path))) {
      throw new OrthantError("ORT_EXISTS", "there is a file of that name already", { path });
    }
    const temporary = temporaryPath(path, lock);
    await disk.remove(temporary);
    return new NewFile(disk, path, await disk.open(temporary, "create"), lock);
  }

  /** Appends bytes. Returns the offset at which they start. */
  append(bytes: Uint8Array): Promise<number> {
    return this.#file.append(bytes);
  }

  writeAt(offset: number, bytes: Uint8Array): Promise<void> {
    return this.#file.writeAt(offset, bytes);
  }

  /** Makes the content durable, still under the temporary name. */
  seal(): Promise<void> {
    return this.#file.sync();
  }

  /**
   * Renames the file to its final name, durably. Until then the previous file of that name is untouched.
   * Checks the lock first: a process that takes the lock later either removes this file before the rename or
   * finds it renamed.
   */
  async publish(): Promise<void> {
    await this.#lock?.requireHeld();
    await this.#disk.rename(this.#temporary, this.#path);
    await this.#disk.syncDirectory(parentOf(this.#path));
    this.#finished = true;
  }

  /** Closes the file, and removes it unless it was published. */
  async close(): Promise<void> {
    await this.#file.close();
    if (!this.#finished) await this.#disk.remove(this.#temporary);
    this.#finished = true;
  }
}

async function fileExists(disk: Disk, path: string): Promise<boolean> {
  try {
    await (await disk.open(path, "read")).close();
    return true;
  } catch (error) {
    if (isOrthantError(error, "ORT_NOT_FOUND")) return false;
    throw error;
  }
}
