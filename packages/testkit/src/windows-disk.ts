import { OrthantError } from "@orthant/core";
import {
  type DirectoryEntry,
  type DiskFile,
  type DiskLock,
  type FolderDisk,
  MemoryDisk,
  type OpenMode,
} from "@orthant/disk";

/** Names of devices, which a file cannot have, whatever follows after a dot. */
const DEVICE = /^(?:con|prn|aux|nul|com[1-9]|lpt[1-9])(?:\.|$)/i;
/** Characters that no name has, and the ends that Windows cuts off. */
const UNUSABLE = /[<>:"|?*\\]|[. ]$/;
const NAME_LENGTH_MAX = 255;

/** A file that is open, under its current name in lower case. */
interface OpenName {
  key: string;
}

/**
 * A disk in memory that refuses what Windows refuses: names of devices, a rename over an open file, a move of a
 * directory with open files. Names differ by more than case. A file that is removed while it is open keeps its
 * name until it is closed, and cannot be opened or replaced meanwhile, as with older versions of Node.
 */
export class WindowsDisk implements FolderDisk {
  readonly #disk = new MemoryDisk();
  readonly #open = new Set<OpenName>();
  /** Removed files that are still open. */
  readonly #removed = new Set<string>();
  /** Names as they were created, by the same in lower case. */
  readonly #names = new Map<string, string>();

  /** What was refused, with the path, in order. */
  readonly refusals: string[] = [];

  async open(path: string, mode: OpenMode): Promise<DiskFile> {
    const key = path.toLowerCase();
    if (this.#removed.has(key)) throw this.#refuse("open", path, "it is being removed");
    if (mode === "create") this.#requireName("open", path);
    const file = await this.#disk.open(this.#nameOf(path), mode);
    this.#names.set(key, this.#nameOf(path));
    const name = { key };
    this.#open.add(name);
    const close = file.close.bind(file);
    file.close = async () => {
      await close();
      await this.#closed(name);
    };
    return file;
  }

  async rename(from: string, to: string): Promise<void> {
    this.#requireName("rename", to);
    const [source, target] = [from.toLowerCase(), to.toLowerCase()];
    if (source !== target && this.#isOpen(target))
      throw this.#refuse("rename", to, "a program has the file of that name open");
    await this.#disk.rename(this.#nameOf(from), this.#nameOf(to));
    for (const name of this.#open) if (name.key === source) name.key = target;
    this.#names.delete(source);
    this.#names.set(target, this.#names.get(target) ?? to);
  }

  async moveDirectory(from: string, to: string): Promise<void> {
    this.#requireName("moveDirectory", to);
    const inside = `${from.toLowerCase()}/`;
    if ([...this.#open].some(({ key }) => key.startsWith(inside)))
      throw this.#refuse("moveDirectory", from, "a program has a file in it open");
    await this.#disk.moveDirectory(this.#nameOf(from), to);
    for (const key of [...this.#names.keys()]) if (`${key}/`.startsWith(inside)) this.#names.delete(key);
  }

  async remove(path: string): Promise<boolean> {
    const key = path.toLowerCase();
    if (this.#removed.has(key)) throw this.#refuse("remove", path, "it is being removed");
    if (this.#isOpen(key)) {
      this.#removed.add(key);
      return true;
    }
    return this.#forget(key, path);
  }

  list(directory: string): Promise<readonly DirectoryEntry[]> {
    return this.#disk.list(this.#nameOf(directory));
  }

  async makeDirectory(path: string): Promise<void> {
    this.#requireName("makeDirectory", path);
    await this.#disk.makeDirectory(this.#nameOf(path));
    this.#names.set(path.toLowerCase(), this.#nameOf(path));
  }

  /** Checks its argument and makes nothing durable: a directory cannot be opened. */
  syncDirectory(directory: string): Promise<void> {
    return this.#disk.syncDirectory(this.#nameOf(directory));
  }

  async lock(path: string): Promise<DiskLock> {
    this.#requireName("lock", path);
    return this.#disk.lock(path.toLowerCase());
  }

  async #closed(name: OpenName): Promise<void> {
    // Closing twice is harmless.
    if (!this.#open.delete(name) || this.#isOpen(name.key)) return;
    if (this.#removed.delete(name.key)) await this.#forget(name.key, name.key);
  }

  async #forget(key: string, path: string): Promise<boolean> {
    const wasThere = await this.#disk.remove(this.#nameOf(path));
    this.#names.delete(key);
    return wasThere;
  }

  #isOpen(key: string): boolean {
    return [...this.#open].some((name) => name.key === key);
  }

  /** Returns a path in the spelling in which it was created. */
  #nameOf(path: string): string {
    return this.#names.get(path.toLowerCase()) ?? path;
  }

  #requireName(operation: string, path: string): void {
    for (const name of path.split("/"))
      if (DEVICE.test(name) || UNUSABLE.test(name) || name.length > NAME_LENGTH_MAX)
        throw this.#refuse(operation, path, "no file can have that name");
  }

  #refuse(operation: string, path: string, why: string): OrthantError {
    this.refusals.push(`${operation} ${path}`);
    return new OrthantError("ORT_DISK_DENIED", `${operation}: ${why}`, { path, operation });
  }
}
