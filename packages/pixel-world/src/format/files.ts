import { isOrthantError, OrthantError } from "@orthant/core";
import { type Disk, type DiskFile, type DiskLock, parentOf } from "@orthant/disk";
import { filesIn, lockOf, pathOfTemporary, temporaryPath, type WriterLock } from "@orthant/disk/files";
import { ENTRIES_OFFSET } from "./layout.ts";

/** Whether an existing file may be replaced. */
type Replacing = "replace" | "keep";

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
  sync(): Promise<void> {
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

const COPY_BYTES = 1_048_576;

/** Takes the lock of a file, and removes the unfinished files of earlier writers. Rule X46. */
export async function lockFile(disk: Disk, path: string): Promise<DiskLock> {
  const lock = await disk.lock(lockOf(path));
  try {
    const unfinished = await unfinishedFilesOf(disk, path);
    // Files listed while we held the lock cannot belong to a later holder.
    await lock.requireHeld();
    for (const temporary of unfinished) await disk.remove(temporary);
    return lock;
  } catch (error) {
    await lock.release();
    throw error;
  }
}

/** Returns the temporary files that were written to replace a file but never renamed. */
export async function unfinishedFilesOf(disk: Disk, path: string): Promise<readonly string[]> {
  return (await filesIn(disk, parentOf(path))).filter((name) => pathOfTemporary(name) === path);
}

/**
 * Opens a file for writing, then checks the lock. In this order, a process that takes the lock later replaces
 * this file with a copy, so that nothing we write can reach the file that it trusts.
 */
export async function openHeld(disk: Disk, path: string, lock: WriterLock): Promise<DiskFile> {
  const file = await disk.open(path, "write");
  try {
    await lock.requireHeld();
    return file;
  } catch (error) {
    await file.close();
    throw error;
  }
}

/**
 * Replaces a file that an earlier lock holder may still write to with a copy. Rule X46. The copy is as good
 * as the file after a crash: the headers are read first, and everything they name was written before them.
 */
export async function replaceByCopy(disk: Disk, path: string, lock: WriterLock): Promise<void> {
  const source = await disk.open(path, "read");
  try {
    const copy = await NewFile.create(disk, path, { replacing: "replace", lock });
    try {
      let end = 0;
      for (let bytes = await readNext(source, end); bytes.length > 0; bytes = await readNext(source, end)) {
        await copy.append(bytes);
        end += bytes.length;
      }
      await copy.sync();
      await copy.publish();
    } finally {
      await copy.close();
    }
  } finally {
    await source.close();
  }
}

/** Reads the headers, or the next piece after them; returns no bytes at the end. */
async function readNext(file: DiskFile, offset: number): Promise<Uint8Array> {
  const wanted = offset === 0 ? ENTRIES_OFFSET : COPY_BYTES;
  for (;;) {
    const length = Math.min(wanted, (await file.size()) - offset);
    if (length <= 0) return new Uint8Array(0);
    try {
      return await file.readAt(offset, length);
    } catch (error) {
      // The earlier holder cut off uncommitted bytes.
      const isCut = isOrthantError(error, "ORT_TRUNCATED") && (await file.size()) < offset + length;
      if (!isCut) throw error;
    }
  }
}

/** An open file that closes once it is retired and its last user is done. */
export class LeasedFile {
  readonly #file: DiskFile;
  #users = 0;
  #isRetired = false;

  constructor(file: DiskFile) {
    this.#file = file;
  }

  /** Runs `work` with the file, which stays open until the work finishes. */
  async use<Value>(work: (file: DiskFile) => Promise<Value>): Promise<Value> {
    this.#users++;
    try {
      return await work(this.#file);
    } finally {
      this.#users--;
      if (this.#isRetired) await this.#closeIfIdle();
    }
  }

  /** Closes the file as soon as no work uses it. */
  async retire(): Promise<void> {
    this.#isRetired = true;
    await this.#closeIfIdle();
  }

  async #closeIfIdle(): Promise<void> {
    if (this.#users === 0) await this.#file.close();
  }
}
