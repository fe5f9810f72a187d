import { type ErrorCode, OrthantError } from "@orthant/core";
import { requireInteger } from "@orthant/core/arguments";
import type { DiskFile, OpenMode } from "../port/disk.ts";
import { FileGuard } from "../port/file-guard.ts";
import { type ErrorWrapper, errorWrapper } from "../port/wrap-errors.ts";
import { type AccessHandle, errorName, type OriginFile, patiently } from "./access-handle.ts";

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

/** An open file and its users: a browser allows one handle per file, and none during a move. */
export class OpfsContent {
  /** Its path; `undefined` once it has lost its name. */
  path: string | undefined;
  /** Number of users that have it open. */
  users = 0;
  readonly file: OriginFile;
  #handle: AccessHandle | undefined;
  #moving: Promise<void> | undefined;
  #loss: unknown;

  private constructor(path: string, file: OriginFile, handle: AccessHandle) {
    this.path = path;
    this.file = file;
    this.#handle = handle;
  }

  /** Opens a file, without users yet. */
  static async open(path: string, file: OriginFile): Promise<OpfsContent> {
    return new OpfsContent(path, file, await patiently(() => file.createSyncAccessHandle()));
  }

  /** Passes the handle to `work` at once, or after a running move. Waiting calls run in order. */
  async use<Result>(work: (handle: AccessHandle) => Result): Promise<Result> {
    while (this.#moving !== undefined) await this.#moving;
    if (this.#handle !== undefined) return work(this.#handle);
    throw new OrthantError("ORT_DISK_IO", "the file is no longer open", {}, { cause: this.#loss });
  }

  /** Moves the file. */
  async move(folder: FileSystemDirectoryHandle, name: string): Promise<void> {
    let arrive = (): void => undefined;
    this.#moving = new Promise((resolve) => {
      arrive = resolve;
    });
    this.close();
    try {
      await patiently(() => this.file.move(folder, name));
    } finally {
      try {
        this.#handle = await patiently(() => this.file.createSyncAccessHandle());
      } catch (error) {
        this.#loss = error; // reported to the next user of the file
      }
      this.#moving = undefined;
      arrive();
    }
  }

  /** Closes the browser's handle. */
  close(): void {
    this.#handle?.close();
    this.#handle = undefined;
  }
}

const CODES: ReadonlyMap<string, ErrorCode> = new Map([
  ["NotFoundError", "ORT_NOT_FOUND"],
  ["TypeMismatchError", "ORT_ARGUMENT"],
  // The browser rejects the name.
  ["TypeError", "ORT_PATH"],
  ["NoModificationAllowedError", "ORT_LOCKED"],
  ["QuotaExceededError", "ORT_DISK_FULL"],
  ["NotAllowedError", "ORT_DISK_DENIED"],
  ["SecurityError", "ORT_DISK_DENIED"],
]);

/** Wraps calls into the browser's file API. */
export const wrapErrors: ErrorWrapper = errorWrapper((error) => CODES.get(errorName(error)));
