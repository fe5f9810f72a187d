import { isOrthantError } from "@orthant/core";
import type { Disk, DiskFile } from "@orthant/disk";

interface OpenFile {
  readonly file: DiskFile;
  /** Size when the file was opened. Bytes that a writer adds later are ignored. */
  readonly bytes: number;
}

/** Files of a save opened for reading, each on first use. */
export class FileShelf {
  readonly #disk: Disk;
  readonly #files = new Map<string, OpenFile>();

  constructor(disk: Disk) {
    this.#disk = disk;
  }

  /** Returns the size of a file. Throws `ORT_NOT_FOUND` if it does not exist. */
  async size(path: string): Promise<number> {
    return (await this.#open(path)).bytes;
  }

  /** Returns the size of a file; 0 if it does not exist. */
  async sizeOrZero(path: string): Promise<number> {
    try {
      return await this.size(path);
    } catch (error) {
      if (isOrthantError(error, "ORT_NOT_FOUND")) return 0;
      throw error;
    }
  }

  /** Reads exactly these bytes of a file. Throws `ORT_TRUNCATED` if it has fewer. */
  async read(path: string, offset: number, length: number): Promise<Uint8Array> {
    return (await this.#open(path)).file.readAt(offset, length);
  }

  /** Closes the files. Closing twice is harmless. */
  async close(): Promise<void> {
    const open = [...this.#files.values()];
    this.#files.clear();
    for (const { file } of open) await file.close();
  }

  async #open(path: string): Promise<OpenFile> {
    const known = this.#files.get(path);
    if (known !== undefined) return known;
    const file = await this.#disk.open(path, "read");
    try {
      const opened = { file, bytes: await file.size() };
      this.#files.set(path, opened);
      return opened;
    } catch (error) {
      await file.close();
      throw error;
    }
  }
}
