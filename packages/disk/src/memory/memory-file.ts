import { OrthantError } from "@orthant/core";
import { requireWhole } from "@orthant/core/arguments";
import type { DiskFile, OpenMode } from "../port/disk.ts";
import { FileGuard } from "../port/file-guard.ts";

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
export class MemoryFile implements DiskFile {
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
