import type { DirectoryEntry, Disk, DiskFile, DiskLock, OpenMode } from "@orthant/disk";

/** A disk that counts the bytes that are written to its files. */
export class CountingDisk implements Disk {
  readonly #disk: Disk;
  bytesWritten = 0;

  constructor(disk: Disk) {
    this.#disk = disk;
  }

  async open(path: string, mode: OpenMode): Promise<DiskFile> {
    const file = await this.#disk.open(path, mode);
    return {
      size: () => file.size(),
      readAt: (offset, length) => file.readAt(offset, length),
      append: (bytes) => {
        this.bytesWritten += bytes.length;
        return file.append(bytes);
      },
      writeAt: (offset, bytes) => {
        this.bytesWritten += bytes.length;
        return file.writeAt(offset, bytes);
      },
      writeDurably: (offset, bytes) => {
        this.bytesWritten += bytes.length;
        return file.writeDurably(offset, bytes);
      },
      truncate: (length) => file.truncate(length),
      sync: () => file.sync(),
      close: () => file.close(),
    };
  }

  rename(from: string, to: string): Promise<void> {
    return this.#disk.rename(from, to);
  }

  remove(path: string): Promise<boolean> {
    return this.#disk.remove(path);
  }

  list(directory: string): Promise<readonly DirectoryEntry[]> {
    return this.#disk.list(directory);
  }

  makeDirectory(path: string): Promise<void> {
    return this.#disk.makeDirectory(path);
  }

  syncDirectory(directory: string): Promise<void> {
    return this.#disk.syncDirectory(directory);
  }

  lock(path: string): Promise<DiskLock> {
    return this.#disk.lock(path);
  }
}
