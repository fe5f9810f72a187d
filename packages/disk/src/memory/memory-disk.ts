import { OrthantError } from "@orthant/core";
import {
  convertList,
  requireBytes,
  requireObject,
  requireText,
  requireWhole,
  wrongArgument,
} from "@orthant/core/arguments";
import type { DirectoryEntry, DiskFile, DiskLock, FolderDisk, OpenMode } from "../port/disk.ts";
import { FileGuard, requireMode } from "../port/file-guard.ts";
import { isWithin, nameOf, parentOf, requireDirectoryPath, requirePath } from "../port/path.ts";

/** A snapshot of a {@link MemoryDisk}: directories, and files with their bytes. */
export interface DiskImage {
  readonly directories: readonly string[];
  readonly files: ReadonlyMap<string, Uint8Array>;
}

/** A disk in memory: for tests, and for worlds that need not outlive the process. */
export class MemoryDisk implements FolderDisk {
  readonly #directories = new Set<string>([""]);
  readonly #files = new Map<string, MemoryContent>();
  readonly #locks = new Set<string>();
  #locksTaken = 0;

  /** Starts empty or with an image, whose bytes are copied on write. */
  constructor(image?: DiskImage) {
    if (image === undefined) return;
    requireObject("image", image, "it is what image() of another disk returns");
    const { directories, files } = image;
    const paths = convertList("image.directories", directories, "it is a list of paths", (path, index) =>
      requireText(`image.directories[${index}]`, path),
    );
    for (const path of paths) this.#directories.add(path);
    if (!(files instanceof Map)) throw wrongArgument("image.files", files, "it is a Map of paths to bytes");
    for (const [path, bytes] of files) {
      const content = new MemoryContent(requireBytes("a file of the image", bytes));
      this.#files.set(requireText("a path of the image", path), content);
    }
  }

  /** Returns a copy of everything on the disk. */
  image(): DiskImage {
    const files = new Map(Array.from(this.#files, ([path, content]) => [path, content.view().slice()]));
    return { directories: Array.from(this.#directories).filter((path) => path !== ""), files };
  }

  async open(path: string, mode: OpenMode): Promise<DiskFile> {
    requirePath(path);
    requireMode(mode);
    if (mode === "create") return new MemoryFile(path, mode, this.#create(path));
    return new MemoryFile(path, mode, this.#find(path, "open"));
  }

  async rename(from: string, to: string): Promise<void> {
    requirePath(from, "from");
    requirePath(to, "to");
    const content = this.#find(from, "rename");
    this.#requireParent(to, "rename");
    this.#requireNoDirectory(to, "rename");
    this.#files.delete(from);
    this.#files.set(to, content);
  }

  async moveDirectory(from: string, to: string): Promise<void> {
    requirePath(from, "from");
    requirePath(to, "to");
    this.#requireDirectory(from, "moveDirectory");
    this.#requireParent(to, "moveDirectory");
    if (this.#files.has(to) || this.#directories.has(to))
      throw diskError("ORT_EXISTS", "the name is taken", to, "moveDirectory");
    for (const path of [...this.#directories].filter((known) => isWithin(from, known))) {
      this.#directories.delete(path);
      this.#directories.add(to + path.slice(from.length));
    }
    for (const [path, content] of [...this.#files].filter(([known]) => isWithin(from, known))) {
      this.#files.delete(path);
      this.#files.set(to + path.slice(from.length), content);
    }
  }

  async remove(path: string): Promise<boolean> {
    requirePath(path);
    this.#requireNoDirectory(path, "remove");
    return this.#files.delete(path);
  }

  async list(directory: string): Promise<readonly DirectoryEntry[]> {
    requireDirectoryPath(directory);
    this.#requireDirectory(directory, "list");
    const entries: DirectoryEntry[] = [];
    for (const path of this.#files.keys()) {
      if (parentOf(path) === directory) entries.push({ name: nameOf(path), kind: "file" });
    }
    for (const path of this.#directories) {
      if (path !== "" && parentOf(path) === directory)
        entries.push({ name: nameOf(path), kind: "directory" });
    }
    return entries.sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  async makeDirectory(path: string): Promise<void> {
    requirePath(path);
    this.#requireParent(path, "makeDirectory");
    if (this.#files.has(path)) throw diskError("ORT_EXISTS", "a file has that name", path, "makeDirectory");
    this.#directories.add(path);
  }

  async syncDirectory(directory: string): Promise<void> {
    requireDirectoryPath(directory);
    this.#requireDirectory(directory, "syncDirectory");
  }

  async lock(path: string): Promise<DiskLock> {
    requirePath(path);
    if (this.#locks.has(path)) throw diskError("ORT_LOCKED", "already locked in this process", path, "lock");
    this.#locks.add(path);
    let held = true;
    return {
      token: String(++this.#locksTaken).padStart(16, "0"),
      isContested: false,
      settle: async () => undefined,
      requireHeld: async () => {
        if (!held) throw diskError("ORT_LOCKED", "the lock was released", path, "requireHeld");
      },
      release: async () => {
        if (held) this.#locks.delete(path);
        held = false;
      },
    };
  }

  #create(path: string): MemoryContent {
    this.#requireParent(path, "open");
    if (this.#files.has(path) || this.#directories.has(path)) {
      throw diskError("ORT_EXISTS", "create found the name taken", path, "open");
    }
    const content = new MemoryContent();
    this.#files.set(path, content);
    return content;
  }

  #find(path: string, operation: string): MemoryContent {
    const content = this.#files.get(path);
    if (content !== undefined) return content;
    this.#requireNoDirectory(path, operation);
    throw diskError("ORT_NOT_FOUND", "no such file", path, operation);
  }

  #requireParent(path: string, operation: string): void {
    this.#requireDirectory(parentOf(path), operation);
  }

  #requireDirectory(path: string, operation: string): void {
    if (!this.#directories.has(path)) throw diskError("ORT_NOT_FOUND", "no such directory", path, operation);
  }

  #requireNoDirectory(path: string, operation: string): void {
    if (this.#directories.has(path)) throw diskError("ORT_ARGUMENT", "that is a directory", path, operation);
  }
}

function diskError(
  code: "ORT_ARGUMENT" | "ORT_EXISTS" | "ORT_LOCKED" | "ORT_NOT_FOUND",
  detail: string,
  path: string,
  operation: string,
): OrthantError {
  return new OrthantError(code, `${operation}: ${detail}`, { path, operation });
}

/** A file's content in memory. Names and open files refer to it, as they do to an inode. */
export class MemoryContent {
  #bytes: Uint8Array;
  #size: number;
  #shared: boolean;

  /** Does not copy the bytes until the first write. */
  constructor(bytes: Uint8Array = new Uint8Array(0)) {
    this.#bytes = bytes;
    this.#size = bytes.length;
    this.#shared = true;
  }

  get size(): number {
    return this.#size;
  }

  /** Returns all bytes as a view that later writes may change. */
  view(): Uint8Array {
    return this.#bytes.subarray(0, this.#size);
  }

  /** Writes at an offset, growing with zeros as needed. */
  write(offset: number, bytes: Uint8Array): void {
    this.#reserve(Math.max(this.#size, offset + bytes.length));
    this.#bytes.set(bytes, offset);
    this.#size = Math.max(this.#size, offset + bytes.length);
  }

  /** Truncates, or grows with zeros. */
  resize(size: number): void {
    this.#reserve(size);
    // Truncated bytes must not reappear when the file grows again.
    if (size < this.#size) this.#bytes.fill(0, size, this.#size);
    this.#size = size;
  }

  #reserve(size: number): void {
    if (!this.#shared && size <= this.#bytes.length) return;
    const grown = new Uint8Array(size <= this.#bytes.length ? this.#bytes.length : size + (size >>> 1));
    grown.set(this.view());
    this.#bytes = grown;
    this.#shared = false;
  }
}

/** The longest file that a write or a truncation may lead to. */
const FILE_BYTES_MAX = 2 ** 30;

function requireRoom(bytes: number): void {
  if (bytes <= FILE_BYTES_MAX) return;
  throw new OrthantError(
    "ORT_DISK_FULL",
    `a file of ${bytes} bytes in memory, the limit is ${FILE_BYTES_MAX}`,
  );
}

/** An open file of a {@link MemoryDisk}. */
class MemoryFile implements DiskFile {
  readonly #content: MemoryContent;
  readonly #guard: FileGuard;

  constructor(path: string, mode: OpenMode, content: MemoryContent) {
    this.#content = content;
    this.#guard = new FileGuard(path, mode);
  }

  async size(): Promise<number> {
    this.#guard.requireOpen("size");
    return this.#content.size;
  }

  async readAt(offset: number, length: number): Promise<Uint8Array> {
    this.#guard.requireOpen("readAt");
    this.#guard.requireInside(offset, length, this.#content.size);
    return this.#content.view().slice(offset, offset + length);
  }

  async append(bytes: Uint8Array): Promise<number> {
    this.#guard.requireWrite("append", bytes);
    const offset = this.#content.size;
    this.#content.write(offset, bytes);
    return offset;
  }

  async writeAt(offset: number, bytes: Uint8Array): Promise<void> {
    this.#guard.requireWrite("writeAt", bytes, offset);
    requireRoom(offset + bytes.length);
    this.#content.write(offset, bytes);
  }

  writeDurably(offset: number, bytes: Uint8Array): Promise<void> {
    return this.writeAt(offset, bytes);
  }

  async truncate(length: number): Promise<void> {
    this.#guard.requireWritable("truncate");
    requireWhole("length", length, 0, Number.MAX_SAFE_INTEGER);
    requireRoom(length);
    this.#content.resize(length);
  }

  async sync(): Promise<void> {
    this.#guard.requireWritable("sync");
  }

  async close(): Promise<void> {
    this.#guard.close();
  }
}
