import { isOrthantError, OrthantError } from "@orthant/core";
import { requireInteger } from "@orthant/core/arguments";
import {
  type DirectoryEntry,
  type Disk,
  type DiskFile,
  type DiskLock,
  type OpenMode,
  requireDisk,
} from "../port/disk.ts";
import { FileGuard, requireMode } from "../port/file-guard.ts";
import { nameOf, parentOf, requireDirectoryPath, requirePath } from "../port/path.ts";
import { MemoryContent, MemoryDisk } from "./memory-disk.ts";

/**
 * Shows another disk, which it only reads, and keeps every change in memory. Appending to a file of the other
 * disk keeps only the new bytes in memory; overwriting existing bytes copies the file first. Its locks are
 * independent of the other disk's.
 */
export class OverlayDisk implements Disk {
  readonly #base: Disk;
  /** Files that were created, changed or renamed, and their directories. */
  readonly #changes = new MemoryDisk();
  /** Files of the base that were opened for writing. */
  readonly #overlaid = new Map<string, OverlaidContent>();
  readonly #removed = new Set<string>();

  constructor(base: Disk) {
    requireDisk("base", base);
    this.#base = base;
  }

  async open(path: string, mode: OpenMode): Promise<DiskFile> {
    requirePath(path);
    requireMode(mode);
    if (mode === "create") {
      if (await this.#isTaken(path)) {
        throw new OrthantError("ORT_EXISTS", "open: create found the name taken", {
          path,
          operation: "open",
        });
      }
      await this.#makeFolders(parentOf(path));
      return this.#changes.open(path, mode);
    }
    if (await this.#isChanged(path)) return this.#changes.open(path, mode);
    if (this.#removed.has(path)) {
      throw new OrthantError("ORT_NOT_FOUND", "open: no such file", { path, operation: "open" });
    }
    const file = await this.#base.open(path, "read");
    if (mode === "read" && !this.#overlaid.has(path)) return file;
    const content = this.#overlaid.get(path) ?? new OverlaidContent(await file.size());
    this.#overlaid.set(path, content);
    return new OverlaidFile(path, mode, file, content);
  }

  async rename(from: string, to: string): Promise<void> {
    requirePath(from, "from");
    requirePath(to, "to");
    if (!(await this.#isChanged(from))) await this.#copyUp(from);
    await this.#makeFolders(parentOf(to));
    await this.#changes.rename(from, to);
    this.#hide(from);
    this.#hide(to);
  }

  async remove(path: string): Promise<boolean> {
    requirePath(path);
    const existed = await this.#isFile(path);
    await this.#changes.remove(path);
    this.#hide(path);
    return existed;
  }

  async list(directory: string): Promise<readonly DirectoryEntry[]> {
    requireDirectoryPath(directory);
    const under = await undefinedIfMissing(this.#base.list(directory));
    const over = await undefinedIfMissing(this.#changes.list(directory));
    if (under === undefined && over === undefined) return this.#base.list(directory);
    const entries = new Map<string, DirectoryEntry>();
    for (const entry of under ?? []) {
      if (!this.#removed.has(directory === "" ? entry.name : `${directory}/${entry.name}`))
        entries.set(entry.name, entry);
    }
    for (const entry of over ?? []) entries.set(entry.name, entry);
    return [...entries.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  async makeDirectory(path: string): Promise<void> {
    requirePath(path);
    if (await this.#isFile(path)) {
      throw new OrthantError("ORT_EXISTS", "makeDirectory: a file has that name", {
        path,
        operation: "makeDirectory",
      });
    }
    await this.#makeFolders(parentOf(path));
    await this.#changes.makeDirectory(path);
  }

  async syncDirectory(directory: string): Promise<void> {
    await this.list(directory);
  }

  lock(path: string): Promise<DiskLock> {
    return this.#changes.lock(path);
  }

  /** Hides the file that the base has under that name. */
  #hide(path: string): void {
    this.#removed.add(path);
    this.#overlaid.delete(path);
  }

  async #isChanged(path: string): Promise<boolean> {
    const entries = (await undefinedIfMissing(this.#changes.list(parentOf(path)))) ?? [];
    return entries.some(({ name }) => name === nameOf(path));
  }

  async #isTaken(path: string): Promise<boolean> {
    const entries = (await undefinedIfMissing(this.list(parentOf(path)))) ?? [];
    return entries.some(({ name }) => name === nameOf(path));
  }

  async #isFile(path: string): Promise<boolean> {
    const entries = (await undefinedIfMissing(this.list(parentOf(path)))) ?? [];
    return entries.some(({ name, kind }) => name === nameOf(path) && kind === "file");
  }

  /** Creates the folders above a change, as the base has them. */
  async #makeFolders(directory: string): Promise<void> {
    if (directory === "") return;
    await this.list(directory);
    await this.#makeFolders(parentOf(directory));
    await this.#changes.makeDirectory(directory);
  }

  async #copyUp(path: string): Promise<void> {
    const from = await this.open(path, "read");
    try {
      await this.#makeFolders(parentOf(path));
      const to = await this.#changes.open(path, "create");
      await to.append(await from.readAt(0, await from.size()));
      await to.close();
    } finally {
      await from.close();
    }
  }
}

/** The state of a base file that was opened for writing, shared by all of its open handles. */
class OverlaidContent {
  /** Bytes of the base's file that are still valid. */
  baseBytes: number;
  /** The bytes after them. */
  readonly tail = new MemoryContent();

  constructor(baseBytes: number) {
    this.baseBytes = baseBytes;
  }

  get size(): number {
    return this.baseBytes + this.tail.size;
  }
}

/** A file of the base with changes on top. */
class OverlaidFile implements DiskFile {
  readonly #base: DiskFile;
  readonly #content: OverlaidContent;
  readonly #guard: FileGuard;

  constructor(path: string, mode: OpenMode, base: DiskFile, content: OverlaidContent) {
    this.#base = base;
    this.#content = content;
    this.#guard = new FileGuard(path, mode);
  }

  async size(): Promise<number> {
    this.#guard.requireOpen("size");
    return this.#content.size;
  }

  async readAt(offset: number, length: number): Promise<Uint8Array> {
    this.#guard.requireOpen("readAt");
    const { baseBytes, tail, size } = this.#content;
    this.#guard.requireInside(offset, length, size);
    const inBase = Math.max(0, Math.min(baseBytes, offset + length) - offset);
    const start = offset + inBase - baseBytes;
    const after = inBase === length ? [] : tail.view().slice(start, start + length - inBase);
    if (inBase === 0) return Uint8Array.from(after);
    const bytes = new Uint8Array(length);
    bytes.set(await this.#base.readAt(offset, inBase));
    bytes.set(after, inBase);
    return bytes;
  }

  async append(bytes: Uint8Array): Promise<number> {
    this.#guard.requireWritable("append");
    const { size, tail } = this.#content;
    tail.write(tail.size, bytes);
    return size;
  }

  async writeAt(offset: number, bytes: Uint8Array): Promise<void> {
    this.#guard.requireWritable("writeAt");
    requireInteger(offset, 0, Number.MAX_SAFE_INTEGER, "offset");
    if (offset < this.#content.baseBytes) await this.#copyUp();
    this.#content.tail.write(offset - this.#content.baseBytes, bytes);
  }

  writeDurably(offset: number, bytes: Uint8Array): Promise<void> {
    return this.writeAt(offset, bytes);
  }

  async truncate(length: number): Promise<void> {
    this.#guard.requireWritable("truncate");
    requireInteger(length, 0, Number.MAX_SAFE_INTEGER, "length");
    this.#content.tail.resize(Math.max(0, length - this.#content.baseBytes));
    this.#content.baseBytes = Math.min(this.#content.baseBytes, length);
  }

  async sync(): Promise<void> {
    this.#guard.requireWritable("sync");
  }

  async close(): Promise<void> {
    if (this.#guard.close()) await this.#base.close();
  }

  async #copyUp(): Promise<void> {
    const whole = await this.readAt(0, this.#content.size);
    this.#content.baseBytes = 0;
    this.#content.tail.write(0, whole);
  }
}

async function undefinedIfMissing<Value>(reading: Promise<Value>): Promise<Value | undefined> {
  try {
    return await reading;
  } catch (error) {
    if (isOrthantError(error, "ORT_NOT_FOUND")) return undefined;
    throw error;
  }
}
