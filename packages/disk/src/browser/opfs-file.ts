import { OrthantError } from "@orthant/core";
import { requireInteger } from "@orthant/core/arguments";
import type { DiskFile, OpenMode } from "../port/disk.ts";
import { FileGuard } from "../port/file-guard.ts";
import type { AccessHandle } from "./access-handle.ts";
import { wrapErrors } from "./dom-error.ts";
import type { OpfsContent } from "./opfs-content.ts";

/** An open file of an {@link OpfsDisk}. */
export class OpfsFile implements DiskFile {
  readonly #path: string;
  readonly #content: OpfsContent;
  readonly #guard: FileGuard;
  readonly #release: () => Promise<void>;

  constructor(path: string, mode: OpenMode, content: OpfsContent, release: () => Promise<void>) {
    this.#path = path;
    this.#content = content;
    this.#guard = new FileGuard(path, mode);
    this.#release = release;
  }

  async size(): Promise<number> {
    this.#guard.requireOpen("size");
    return this.#use("size", (handle) => handle.getSize());
  }

  async readAt(offset: number, length: number): Promise<Uint8Array> {
    this.#guard.requireOpen("readAt");
    return this.#use("readAt", (handle) => {
      // Check before allocating the buffer: a length may come from a damaged file.
      this.#guard.requireInside(offset, length, handle.getSize());
      const bytes = new Uint8Array(length);
      for (let done = 0; done < length; ) {
        const count = handle.read(bytes.subarray(done), { at: offset + done });
        if (count === 0) this.#guard.requireInside(offset, length, offset + done);
        done += count;
      }
      return bytes;
    });
  }

  async append(bytes: Uint8Array): Promise<number> {
    this.#guard.requireWritable("append");
    return this.#use("append", (handle) => {
      const offset = handle.getSize();
      this.#write("append", handle, offset, bytes);
      return offset;
    });
  }

  async writeAt(offset: number, bytes: Uint8Array): Promise<void> {
    this.#guard.requireWritable("writeAt");
    requireInteger(offset, 0, Number.MAX_SAFE_INTEGER, "offset");
    await this.#use("writeAt", (handle) => this.#write("writeAt", handle, offset, bytes));
  }

  async writeDurably(offset: number, bytes: Uint8Array): Promise<void> {
    this.#guard.requireWritable("writeDurably");
    requireInteger(offset, 0, Number.MAX_SAFE_INTEGER, "offset");
    await this.#durably("writeDurably", (handle) => {
      this.#write("writeDurably", handle, offset, bytes);
      handle.flush();
    });
  }

  async truncate(length: number): Promise<void> {
    this.#guard.requireWritable("truncate");
    requireInteger(length, 0, Number.MAX_SAFE_INTEGER, "length");
    await this.#use("truncate", (handle) => handle.truncate(length));
  }

  async sync(): Promise<void> {
    this.#guard.requireWritable("sync");
    await this.#durably("sync", (handle) => handle.flush());
  }

  async close(): Promise<void> {
    if (this.#guard.close()) await this.#release();
  }

  async #durably(operation: string, work: (handle: AccessHandle) => void): Promise<void> {
    try {
      await this.#use(operation, work);
    } catch (error) {
      this.#guard.failSync();
      throw error;
    }
  }

  #use<Result>(operation: string, work: (handle: AccessHandle) => Result): Promise<Result> {
    return wrapErrors(operation, this.#path, () => this.#content.use(work));
  }

  #write(operation: string, handle: AccessHandle, offset: number, bytes: Uint8Array): void {
    for (let done = 0; done < bytes.length; ) {
      const count = handle.write(bytes.subarray(done), { at: offset + done });
      if (count === 0) {
        const context = { path: this.#path, operation };
        throw new OrthantError("ORT_DISK_IO", `${operation}: the browser wrote nothing`, context);
      }
      done += count;
    }
  }
}
