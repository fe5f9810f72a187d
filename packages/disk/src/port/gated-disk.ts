import { requireFunction } from "@orthant/core/arguments";
import {
  type DirectoryEntry,
  type Disk,
  type DiskFile,
  type DiskLock,
  type OpenMode,
  requireDisk,
} from "./disk.ts";

/** A call to a disk or to one of its files. */
export interface DiskCall {
  readonly operation: keyof Disk | keyof DiskFile;
  readonly path: string;
  /** Number of bytes read or written; 0 for other calls. */
  readonly bytes: number;
}

/** Lets a call proceed: at once, later, or not at all. */
export type Gate = <Result>(call: DiskCall, happen: () => Promise<Result>) => Promise<Result>;

/** Wraps a disk so that every call, including those to its files, goes through a gate. */
export class GatedDisk implements Disk {
  readonly #disk: Disk;
  readonly #gate: Gate;

  constructor(disk: Disk, gate: Gate) {
    requireDisk("disk", disk);
    this.#disk = disk;
    this.#gate = requireFunction("gate", gate);
  }

  async open(path: string, mode: OpenMode): Promise<DiskFile> {
    const file = await this.#gate({ operation: "open", path, bytes: 0 }, () => this.#disk.open(path, mode));
    return new GatedFile(file, path, this.#gate);
  }

  rename(from: string, to: string): Promise<void> {
    return this.#gate({ operation: "rename", path: from, bytes: 0 }, () => this.#disk.rename(from, to));
  }

  remove(path: string): Promise<boolean> {
    return this.#gate({ operation: "remove", path, bytes: 0 }, () => this.#disk.remove(path));
  }

  list(directory: string): Promise<readonly DirectoryEntry[]> {
    const call = { operation: "list", path: directory, bytes: 0 } as const;
    return this.#gate(call, () => this.#disk.list(directory));
  }

  makeDirectory(path: string): Promise<void> {
    return this.#gate({ operation: "makeDirectory", path, bytes: 0 }, () => this.#disk.makeDirectory(path));
  }

  syncDirectory(directory: string): Promise<void> {
    const call = { operation: "syncDirectory", path: directory, bytes: 0 } as const;
    return this.#gate(call, () => this.#disk.syncDirectory(directory));
  }

  lock(path: string): Promise<DiskLock> {
    return this.#gate({ operation: "lock", path, bytes: 0 }, () => this.#disk.lock(path));
  }
}

class GatedFile implements DiskFile {
  readonly #file: DiskFile;
  readonly #path: string;
  readonly #gate: Gate;

  constructor(file: DiskFile, path: string, gate: Gate) {
    this.#file = file;
    this.#path = path;
    this.#gate = gate;
  }

  size(): Promise<number> {
    return this.#gate(this.#call("size"), () => this.#file.size());
  }

  readAt(offset: number, length: number): Promise<Uint8Array> {
    return this.#gate(this.#call("readAt", length), () => this.#file.readAt(offset, length));
  }

  append(bytes: Uint8Array): Promise<number> {
    return this.#gate(this.#call("append", bytes.length), () => this.#file.append(bytes));
  }

  writeAt(offset: number, bytes: Uint8Array): Promise<void> {
    return this.#gate(this.#call("writeAt", bytes.length), () => this.#file.writeAt(offset, bytes));
  }

  writeDurably(offset: number, bytes: Uint8Array): Promise<void> {
    return this.#gate(this.#call("writeDurably", bytes.length), () => this.#file.writeDurably(offset, bytes));
  }

  truncate(length: number): Promise<void> {
    return this.#gate(this.#call("truncate"), () => this.#file.truncate(length));
  }

  sync(): Promise<void> {
    return this.#gate(this.#call("sync"), () => this.#file.sync());
  }

  close(): Promise<void> {
    return this.#gate(this.#call("close"), () => this.#file.close());
  }

  #call(operation: keyof DiskFile, bytes = 0): DiskCall {
    return { operation, path: this.#path, bytes };
  }
}
