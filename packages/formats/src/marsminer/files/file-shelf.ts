import { isOrthantError } from "@orthant/core";
import type { Disk, DiskFile } from "@orthant/disk";

interface OpenFile {
  readonly file: DiskFile;
  /** As it was when the file was opened: what a writer adds later is no part of what is being read. */
  readonly bytes: number;
}

/** Files of a save that are open to be read, each opened when it is needed first. */
export class FileShelf {
  readonly #disk: Disk;
  readonly #files = new Map<string, OpenFile>();

  constructor(disk: Disk) {
    this.#disk = disk;
  }

  /** Bytes of a file; `ORT_NOT_FOUND` when it is not there. */
  async size(path: string): Promise<number> {
    return (await this.#open(path)).bytes;
  }

  /** Bytes of a file; 0 when it is not there. */
  async sizeOrZero(path: string): Promise<number> {
    try {
      return await this.size(path);
    } catch (error) {
      if (isOrthantError(error, "ORT_NOT_FOUND")) return 0;
      throw error;
    }
  }

  /** Exactly these bytes of a file; `ORT_TRUNCATED` where it has fewer. */
  async read(path: string, offset: number, length: number): Promise<Uint8Array> {
    return (await this.#open(path)).file.readAt(offset, length);
  }

  /** Closes them. Closing twice is harmless. */
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
