import type { DirectoryEntry, Disk, DiskFile, DiskLock, OpenMode } from "@orthant/disk";

/** What happens before an operation: nothing, or a wait. */
export type Delay = (operation: "readAt" | "append" | "sync", path: string) => Promise<void> | undefined;

/** A disk whose files take their time, so that a test decides what else happens meanwhile. */
export class SlowDisk implements Disk {
  readonly #disk: Disk;
  delay: Delay = () => undefined;
  /** Files that are open now. */
  openFiles = 0;

  constructor(disk: Disk) {
    this.#disk = disk;
  }

  /** Holds up the next call of an operation; gives when it has come, and what lets it go on. */
  holdNext(operation: Parameters<Delay>[0], path: RegExp): { reached: Promise<void>; release: () => void } {
    let release = (): void => undefined;
    let reach = (): void => undefined;
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    const reached = new Promise<void>((resolve) => {
      reach = resolve;
    });
    this.delay = (called, at) => {
      if (called !== operation || !path.test(at)) return undefined;
      this.delay = () => undefined;
      reach();
      return released;
    };
    return { reached, release };
  }

  async open(path: string, mode: OpenMode): Promise<DiskFile> {
    const file = await this.#disk.open(path, mode);
    this.openFiles++;
    let open = true;
    return {
      size: () => file.size(),
      readAt: async (offset, length) => {
        await this.delay("readAt", path);
        return file.readAt(offset, length);
      },
      append: async (bytes) => {
        await this.delay("append", path);
        return file.append(bytes);
      },
      writeAt: (offset, bytes) => file.writeAt(offset, bytes),
      writeDurably: async (offset, bytes) => {
        await this.delay("sync", path);
        await file.writeDurably(offset, bytes);
      },
      truncate: (length) => file.truncate(length),
      sync: async () => {
        await this.delay("sync", path);
        await file.sync();
      },
      close: async () => {
        if (open) this.openFiles--;
        open = false;
        await file.close();
      },
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
