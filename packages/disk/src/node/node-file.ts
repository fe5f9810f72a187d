import { constants, fstatSync } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { setTimeout as delay } from "node:timers/promises";
import { OrthantError } from "@orthant/core";
import { requireWhole } from "@orthant/core/arguments";
import type { DiskFile, OpenMode } from "../port/disk.ts";
import { FileGuard } from "../port/file-guard.ts";
import { systemCode, wrapErrors } from "./system-error.ts";

/**
 * Whether one call can write and sync, which halves the trips through the thread pool. Not on macOS, whose
 * flag leaves the bytes in the drive's cache.
 */
const HAS_SYNCED_WRITES = process.platform === "linux";

/** An open file of a {@link NodeDisk}. */
export class NodeFile implements DiskFile {
  readonly #path: string;
  readonly #handle: FileHandle;
  readonly #guard: FileGuard;
  /** Lower bound on the file size; the system is asked again only when a read needs more. */
  #knownSize = 0;
  /** Offset of the next append, so that concurrent appends do not overlap. */
  #appendEnd = 0;
  /** The same file, opened for durable writes; the plain handle if that is not supported. */
  #synced: Promise<FileHandle> | undefined;

  constructor(path: string, mode: OpenMode, handle: FileHandle) {
    this.#path = path;
    this.#handle = handle;
    this.#guard = new FileGuard(path, mode);
  }

  async size(): Promise<number> {
    this.#guard.requireOpen("size");
    // A microsecond in the kernel, against tens of them through the thread pool.
    const { size } = await wrapErrors("size", this.#path, async () => fstatSync(this.#handle.fd));
    this.#knownSize = size;
    return size;
  }

  async readAt(offset: number, length: number): Promise<Uint8Array> {
    this.#guard.requireOpen("readAt");
    this.#guard.requireInside(offset, length, Number.MAX_SAFE_INTEGER);
    // Check before allocating the buffer: a length may come from a damaged file.
    const size = offset + length <= this.#knownSize ? this.#knownSize : await this.size();
    this.#guard.requireInside(offset, length, size);
    const bytes = new Uint8Array(length);
    let done = 0;
    while (done < length) {
      const { bytesRead } = await wrapErrors("readAt", this.#path, () =>
        this.#handle.read(bytes, done, length - done, offset + done),
      );
      // The file was truncated between the check and the read.
      if (bytesRead === 0) this.#guard.requireInside(offset, length, offset + done);
      done += bytesRead;
    }
    return bytes;
  }

  async append(bytes: Uint8Array): Promise<number> {
    this.#guard.requireWrite("append", bytes);
    const size = await this.size();
    const offset = Math.max(size, this.#appendEnd);
    this.#appendEnd = offset + bytes.length;
    await this.#write("append", offset, bytes);
    return offset;
  }

  async writeAt(offset: number, bytes: Uint8Array): Promise<void> {
    this.#guard.requireWrite("writeAt", bytes, offset);
    await this.#write("writeAt", offset, bytes);
  }

  async writeDurably(offset: number, bytes: Uint8Array): Promise<void> {
    this.#guard.requireWrite("writeDurably", bytes, offset);
    try {
      this.#synced ??= openSynced(this.#handle);
      const handle = await this.#synced;
      await this.#write("writeDurably", offset, bytes, handle);
      if (handle === this.#handle) await wrapErrors("writeDurably", this.#path, () => handle.datasync());
    } catch (error) {
      this.#guard.failSync();
      throw error;
    }
  }

  async truncate(length: number): Promise<void> {
    this.#guard.requireWritable("truncate");
    requireWhole("length", length, 0, Number.MAX_SAFE_INTEGER);
    await wrapErrors("truncate", this.#path, () => this.#handle.truncate(length));
    this.#knownSize = length;
    this.#appendEnd = 0;
  }

  async sync(): Promise<void> {
    this.#guard.requireWritable("sync");
    try {
      await wrapErrors("sync", this.#path, () => this.#handle.datasync());
    } catch (error) {
      this.#guard.failSync();
      throw error;
    }
  }

  async close(): Promise<void> {
    if (!this.#guard.close()) return;
    const handles = new Set([this.#handle, (await this.#synced) ?? this.#handle]);
    for (const handle of handles) await wrapErrors("close", this.#path, () => handle.close());
  }

  async #write(
    operation: string,
    offset: number,
    bytes: Uint8Array,
    handle: FileHandle = this.#handle,
  ): Promise<void> {
    let done = 0;
    while (done < bytes.length) {
      const { bytesWritten } = await wrapErrors(operation, this.#path, () =>
        handle.write(bytes, done, bytes.length - done, offset + done),
      );
      if (bytesWritten === 0) {
        throw new OrthantError("ORT_DISK_IO", `${operation}: the system wrote nothing`, {
          path: this.#path,
          operation,
        });
      }
      done += bytesWritten;
    }
    this.#knownSize = Math.max(this.#knownSize, offset + bytes.length);
  }
}

/** Opens the file behind a handle again, whatever its current name. */
async function openSynced(handle: FileHandle): Promise<FileHandle> {
  if (!HAS_SYNCED_WRITES) return handle;
  // Without such a folder, a write followed by a sync is equivalent.
  return open(`/proc/self/fd/${handle.fd}`, constants.O_WRONLY | constants.O_DSYNC).catch(() => handle);
}

/** Codes with which Windows refuses to replace or remove a file that any program has open. */
const HELD: ReadonlySet<string> = new Set(["EPERM", "EACCES", "EBUSY"]);
const FIRST_WAIT_MS = 5;
/** Waits double up to this. The last is the end of about five seconds. */
const WAIT_MS_MAX = 2_560;

/**
 * Changes a name in a directory. On Windows it tries again for five seconds while a program has the file open: a
 * command that reads the world, a virus scanner or a search index. Other systems do not refuse, so it tries once.
 */
export async function untilReleased<Result>(change: () => Promise<Result>): Promise<Result> {
  for (let waitMs = FIRST_WAIT_MS; process.platform === "win32" && waitMs <= WAIT_MS_MAX; waitMs *= 2) {
    try {
      return await change();
    } catch (error) {
      if (!HELD.has(systemCode(error))) throw error;
      await delay(waitMs);
    }
  }
  return change();
}
