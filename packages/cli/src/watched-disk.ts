import type { DirectoryEntry, Disk, DiskFile, DiskLock, OpenMode } from "@orthant/disk";

/** Who wants to know what becomes of a disk. */
export interface DiskWatch {
  /** Once it is aborted, whatever is done next throws its reason. */
  readonly signal: AbortSignal;
  /** Told how many bytes were read or written. */
  readonly onBytes?: (bytes: number) => void;
}

/** A disk as it is, which stops when it is told to and counts the bytes that pass. */
export class WatchedDisk implements Disk {
  readonly #disk: Disk;
  readonly #watch: DiskWatch;

  constructor(disk: Disk, watch: DiskWatch) {
    this.#disk = disk;
    this.#watch = watch;
  }

  async open(path: string, mode: OpenMode): Promise<DiskFile> {
    this.#watch.signal.throwIfAborted();
    return new WatchedFile(await this.#disk.open(path, mode), this.#watch);
  }

  async rename(from: string, to: string): Promise<void> {
    this.#watch.signal.throwIfAborted();
    await this.#disk.rename(from, to);
  }

  async remove(path: string): Promise<boolean> {
    this.#watch.signal.throwIfAborted();
    return this.#disk.remove(path);
  }

  async list(directory: string): Promise<readonly DirectoryEntry[]> {
    this.#watch.signal.throwIfAborted();
    return this.#disk.list(directory);
  }

  async makeDirectory(path: string): Promise<void> {
    this.#watch.signal.throwIfAborted();
    await this.#disk.makeDirectory(path);
  }

  async syncDirectory(directory: string): Promise<void> {
    this.#watch.signal.throwIfAborted();
    await this.#disk.syncDirectory(directory);
  }

  lock(path: string): Promise<DiskLock> {
    return this.#disk.lock(path);
  }
}

class WatchedFile implements DiskFile {
  readonly #file: DiskFile;
  readonly #watch: DiskWatch;

  constructor(file: DiskFile, watch: DiskWatch) {
    this.#file = file;
    this.#watch = watch;
  }

  size(): Promise<number> {
    return this.#file.size();
  }

  async readAt(offset: number, length: number): Promise<Uint8Array> {
    this.#watch.signal.throwIfAborted();
    const bytes = await this.#file.readAt(offset, length);
    this.#watch.onBytes?.(length);
    return bytes;
  }

  async append(bytes: Uint8Array): Promise<number> {
    this.#watch.signal.throwIfAborted();
    const offset = await this.#file.append(bytes);
    this.#watch.onBytes?.(bytes.length);
    return offset;
  }

  async writeAt(offset: number, bytes: Uint8Array): Promise<void> {
    this.#watch.signal.throwIfAborted();
    await this.#file.writeAt(offset, bytes);
    this.#watch.onBytes?.(bytes.length);
  }

  async writeDurably(offset: number, bytes: Uint8Array): Promise<void> {
    this.#watch.signal.throwIfAborted();
    await this.#file.writeDurably(offset, bytes);
    this.#watch.onBytes?.(bytes.length);
  }

  async truncate(length: number): Promise<void> {
    this.#watch.signal.throwIfAborted();
    await this.#file.truncate(length);
  }

  async sync(): Promise<void> {
    this.#watch.signal.throwIfAborted();
    await this.#file.sync();
  }

  close(): Promise<void> {
    return this.#file.close();
  }
}
