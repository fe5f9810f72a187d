import { type ErrorCode, OrthantError } from "@orthant/core";
import {
  type DirectoryEntry,
  type Disk,
  type DiskFile,
  type DiskLock,
  FileGuard,
  type OpenMode,
} from "@orthant/disk";

/** Operations that a {@link FaultDisk} can make fail. */
export type FaultyOperation =
  | "open"
  | "size"
  | "readAt"
  | "append"
  | "writeAt"
  | "truncate"
  | "sync"
  | "rename"
  | "remove"
  | "list"
  | "makeDirectory"
  | "syncDirectory";

/**
 * `full`: no space left, and the first half of a write was made. `io`: the disk failed, and the first half of
 * a write was made. `short`: the file has fewer bytes than it should. `skip`: the call succeeds but does
 * nothing, as if its line were missing from the program.
 */
export type DiskFaultKind = "full" | "io" | "short" | "skip";

/** Which calls fail, and how. */
export interface DiskFault {
  readonly operation: FaultyOperation;
  readonly kind: DiskFaultKind;
  /** The call that fails, counted from 1. */
  readonly nth: number;
  /** Whether all later calls fail too. */
  readonly sticky?: boolean;
  /** Restricts counting and failing to matching paths. */
  readonly path?: RegExp;
}

const FAULT_CODES: Readonly<Record<Exclude<DiskFaultKind, "skip">, ErrorCode>> = {
  full: "ORT_DISK_FULL",
  io: "ORT_DISK_IO",
  short: "ORT_TRUNCATED",
};

/** A disk on which one chosen operation fails. Everything else goes to the underlying disk. */
export class FaultDisk implements Disk {
  readonly #disk: Disk;
  readonly #injector: FaultInjector;

  constructor(disk: Disk, fault?: DiskFault) {
    this.#disk = disk;
    this.#injector = new FaultInjector(fault);
  }

  /** Number of calls of each operation, so that a test can try n = 1, 2, 3 ... until a run has no fault. */
  get calls(): ReadonlyMap<FaultyOperation, number> {
    return this.#injector.calls;
  }

  /** Whether the fault has occurred. */
  get struck(): boolean {
    return this.#injector.struck;
  }

  async open(path: string, mode: OpenMode): Promise<DiskFile> {
    this.#injector.strike("open", path);
    return new FaultFile(await this.#disk.open(path, mode), path, mode, this.#injector);
  }

  async rename(from: string, to: string): Promise<void> {
    if (this.#injector.strike("rename", from) !== "skip") await this.#disk.rename(from, to);
  }

  async remove(path: string): Promise<boolean> {
    return this.#injector.strike("remove", path) !== "skip" && (await this.#disk.remove(path));
  }

  async list(directory: string): Promise<readonly DirectoryEntry[]> {
    this.#injector.strike("list", directory);
    return this.#disk.list(directory);
  }

  async makeDirectory(path: string): Promise<void> {
    if (this.#injector.strike("makeDirectory", path) !== "skip") await this.#disk.makeDirectory(path);
  }

  async syncDirectory(directory: string): Promise<void> {
    if (this.#injector.strike("syncDirectory", directory) !== "skip")
      await this.#disk.syncDirectory(directory);
  }

  lock(path: string): Promise<DiskLock> {
    return this.#disk.lock(path);
  }
}

class FaultInjector {
  readonly calls = new Map<FaultyOperation, number>();
  readonly #fault: DiskFault | undefined;
  #matches = 0;
  struck = false;

  constructor(fault: DiskFault | undefined) {
    this.#fault = fault;
  }

  /** Counts a call. Throws if it is to fail; returns `skip` if it is to do nothing. */
  strike(operation: FaultyOperation, path: string): "go on" | "skip" {
    this.calls.set(operation, (this.calls.get(operation) ?? 0) + 1);
    const fault = this.#fault;
    if (fault?.operation !== operation || fault.path?.test(path) === false) return "go on";
    this.#matches++;
    const strikes = fault.sticky === true ? this.#matches >= fault.nth : this.#matches === fault.nth;
    if (!strikes) return "go on";
    this.struck = true;
    if (fault.kind === "skip") return "skip";
    throw new OrthantError(FAULT_CODES[fault.kind], `${operation}: injected fault`, { path, operation });
  }
}

class FaultFile implements DiskFile {
  readonly #file: DiskFile;
  readonly #path: string;
  readonly #injector: FaultInjector;
  /** Implements the port's guarantees after a failed sync, which the underlying file does not know about. */
  readonly #guard: FileGuard;

  constructor(file: DiskFile, path: string, mode: OpenMode, injector: FaultInjector) {
    this.#file = file;
    this.#path = path;
    this.#injector = injector;
    this.#guard = new FileGuard(path, mode);
  }

  async size(): Promise<number> {
    this.#injector.strike("size", this.#path);
    return this.#file.size();
  }

  async readAt(offset: number, length: number): Promise<Uint8Array> {
    this.#injector.strike("readAt", this.#path);
    return this.#file.readAt(offset, length);
  }

  async append(bytes: Uint8Array): Promise<number> {
    this.#guard.requireWritable("append");
    try {
      const skipped = this.#injector.strike("append", this.#path) === "skip";
      return skipped ? await this.#file.size() : await this.#file.append(bytes);
    } catch (error) {
      await this.#file.append(firstHalf(bytes));
      throw error;
    }
  }

  async writeAt(offset: number, bytes: Uint8Array): Promise<void> {
    this.#guard.requireWritable("writeAt");
    try {
      if (this.#injector.strike("writeAt", this.#path) !== "skip") await this.#file.writeAt(offset, bytes);
    } catch (error) {
      await this.#file.writeAt(offset, firstHalf(bytes));
      throw error;
    }
  }

  /** Counts and fails both as a write and as a sync. */
  async writeDurably(offset: number, bytes: Uint8Array): Promise<void> {
    this.#guard.requireWritable("writeDurably");
    let written = firstHalf(bytes);
    try {
      const writes = this.#injector.strike("writeAt", this.#path) !== "skip";
      written = bytes;
      const syncs = this.#injector.strike("sync", this.#path) !== "skip";
      if (writes && syncs) await this.#file.writeDurably(offset, bytes);
      else if (writes) await this.#file.writeAt(offset, bytes);
    } catch (error) {
      this.#guard.failSync();
      await this.#file.writeAt(offset, written);
      throw error;
    }
  }

  async truncate(length: number): Promise<void> {
    this.#guard.requireWritable("truncate");
    if (this.#injector.strike("truncate", this.#path) !== "skip") await this.#file.truncate(length);
  }

  async sync(): Promise<void> {
    this.#guard.requireWritable("sync");
    try {
      if (this.#injector.strike("sync", this.#path) !== "skip") await this.#file.sync();
    } catch (error) {
      this.#guard.failSync();
      throw error;
    }
  }

  async close(): Promise<void> {
    this.#guard.close();
    await this.#file.close();
  }
}

function firstHalf(bytes: Uint8Array): Uint8Array {
  return bytes.subarray(0, bytes.length >>> 1);
}
