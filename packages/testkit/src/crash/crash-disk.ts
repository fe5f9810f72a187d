import {
  type DirectoryEntry,
  type DiskFile,
  type DiskImage,
  type DiskLock,
  type FolderDisk,
  isWithin,
  MemoryDisk,
  type OpenMode,
} from "@orthant/disk";
import type { DiskOperation } from "./operation.ts";

/**
 * A disk in memory that logs all operations, from which `explorePowerCuts` builds the disks that a power cut
 * at any point could have left.
 */
export class CrashDisk implements FolderDisk {
  /** The durable contents of the disk before the first operation. */
  readonly start: DiskImage;
  readonly #log: DiskOperation[] = [];
  readonly #live: MemoryDisk;
  readonly #inodes = new Map<string, number>();
  #nextInode = 0;

  constructor(start: DiskImage = { directories: [], files: new Map() }) {
    this.start = start;
    this.#live = new MemoryDisk(start);
    for (const path of start.files.keys()) this.#inodes.set(path, this.#nextInode++);
  }

  /** The operations, in order. */
  get log(): readonly DiskOperation[] {
    return this.#log;
  }

  /** Returns the contents of the disk if everything had reached it. */
  image(): DiskImage {
    return this.#live.image();
  }

  async open(path: string, mode: OpenMode): Promise<DiskFile> {
    const file = await this.#live.open(path, mode);
    if (mode === "create") {
      this.#inodes.set(path, this.#nextInode++);
      this.#log.push({ kind: "create", inode: this.#inodeOf(path), path });
    }
    return new CrashFile(file, path, this.#inodeOf(path), this.#log);
  }

  async rename(from: string, to: string): Promise<void> {
    await this.#live.rename(from, to);
    const inode = this.#inodeOf(from);
    this.#log.push({ kind: "rename", inode, path: from, to });
    this.#inodes.delete(from);
    this.#inodes.set(to, inode);
  }

  async moveDirectory(from: string, to: string): Promise<void> {
    await this.#live.moveDirectory(from, to);
    this.#log.push({ kind: "moveDirectory", path: from, to });
    for (const [path, inode] of [...this.#inodes].filter(([known]) => isWithin(from, known))) {
      this.#inodes.delete(path);
      this.#inodes.set(to + path.slice(from.length), inode);
    }
  }

  async remove(path: string): Promise<boolean> {
    const existed = await this.#live.remove(path);
    if (existed) this.#log.push({ kind: "remove", inode: this.#inodeOf(path), path });
    this.#inodes.delete(path);
    return existed;
  }

  list(directory: string): Promise<readonly DirectoryEntry[]> {
    return this.#live.list(directory);
  }

  async makeDirectory(path: string): Promise<void> {
    await this.#live.makeDirectory(path);
    this.#log.push({ kind: "makeDirectory", path });
  }

  async syncDirectory(directory: string): Promise<void> {
    await this.#live.syncDirectory(directory);
    this.#log.push({ kind: "syncDirectory", path: directory });
  }

  lock(path: string): Promise<DiskLock> {
    return this.#live.lock(path);
  }

  #inodeOf(path: string): number {
    return this.#inodes.get(path) ?? -1;
  }
}

class CrashFile implements DiskFile {
  readonly #file: DiskFile;
  readonly #path: string;
  readonly #inode: number;
  readonly #log: DiskOperation[];

  constructor(file: DiskFile, path: string, inode: number, log: DiskOperation[]) {
    this.#file = file;
    this.#path = path;
    this.#inode = inode;
    this.#log = log;
  }

  size(): Promise<number> {
    return this.#file.size();
  }

  readAt(offset: number, length: number): Promise<Uint8Array> {
    return this.#file.readAt(offset, length);
  }

  async append(bytes: Uint8Array): Promise<number> {
    const offset = await this.#file.append(bytes);
    this.#logWrite(offset, bytes);
    return offset;
  }

  async writeAt(offset: number, bytes: Uint8Array): Promise<void> {
    await this.#file.writeAt(offset, bytes);
    this.#logWrite(offset, bytes);
  }

  async writeDurably(offset: number, bytes: Uint8Array): Promise<void> {
    await this.#file.writeAt(offset, bytes);
    const write = this.#logWrite(offset, bytes);
    // Until this has returned too, any part of the write may be lost.
    await this.#file.sync();
    this.#log.push({ kind: "syncWrite", inode: this.#inode, path: this.#path, write });
  }

  async truncate(length: number): Promise<void> {
    await this.#file.truncate(length);
    this.#log.push({ kind: "truncate", inode: this.#inode, path: this.#path, length });
  }

  async sync(): Promise<void> {
    await this.#file.sync();
    this.#log.push({ kind: "sync", inode: this.#inode, path: this.#path });
  }

  close(): Promise<void> {
    return this.#file.close();
  }

  /** Returns the write's index in the log. */
  #logWrite(offset: number, bytes: Uint8Array): number {
    this.#log.push({ kind: "write", inode: this.#inode, path: this.#path, offset, bytes: bytes.slice() });
    return this.#log.length - 1;
  }
}
