import { OrthantError } from "@orthant/core";
import { requireBytes, requireChoice, requireText, requireWhole } from "@orthant/core/arguments";
import type { OpenMode } from "./disk.ts";

/** Throws `ORT_ARGUMENT` unless `mode` is a way to open a file. */
export function requireMode(mode: OpenMode): void {
  requireChoice("mode", mode, ["read", "write", "create"]);
}

/**
 * Implements the checks of every adapter's file: against use after close, writing a file opened for reading,
 * and use after a failed sync.
 */
export class FileGuard {
  readonly #path: string;
  readonly #mode: OpenMode;
  #closed = false;
  #syncFailed = false;

  constructor(path: string, mode: OpenMode) {
    requireText("path", path);
    requireMode(mode);
    this.#path = path;
    this.#mode = mode;
  }

  /** Throws unless the file is open. */
  requireOpen(operation: string): void {
    requireText("operation", operation);
    if (this.#closed)
      throw new OrthantError("ORT_CLOSED", `${operation} after close`, { path: this.#path, operation });
  }

  /** Throws unless the file may be written with these bytes, at this offset if it is not their end. */
  requireWrite(operation: string, bytes: Uint8Array, offset = 0): void {
    this.requireWritable(operation);
    requireBytes("bytes", bytes);
    requireWhole("offset", offset, 0, Number.MAX_SAFE_INTEGER);
  }

  /** Throws unless the file may be written: it is open, not read-only, and no sync has failed. */
  requireWritable(operation: string): void {
    this.requireOpen(operation);
    const context = { path: this.#path, operation };
    if (this.#mode === "read")
      throw new OrthantError("ORT_ARGUMENT", `${operation} of a file opened to read`, context);
    if (this.#syncFailed)
      throw new OrthantError("ORT_SYNC_FAILED", `${operation} after a failed sync`, context);
  }

  /** Throws unless a file of `size` bytes has `length` bytes at `offset`. */
  requireInside(offset: number, length: number, size: number): void {
    requireWhole("offset", offset, 0, Number.MAX_SAFE_INTEGER);
    requireWhole("length", length, 0, Number.MAX_SAFE_INTEGER);
    requireWhole("size", size, 0, Number.MAX_SAFE_INTEGER);
    if (offset + length <= size) return;
    const context = { path: this.#path, offset, operation: "readAt" };
    throw new OrthantError("ORT_TRUNCATED", `need ${length} bytes of a file of ${size}`, context);
  }

  /**
   * Rejects all further writes: after a failed sync the kernel may have dropped the data and still report
   * success for the next sync, so no later success can be trusted.
   */
  failSync(): void {
    this.#syncFailed = true;
  }

  /** Marks the file closed. Returns whether it was open. */
  close(): boolean {
    const wasOpen = !this.#closed;
    this.#closed = true;
    return wasOpen;
  }
}
