import { OrthantError } from "@orthant/core";
import { ByteWriter } from "@orthant/core/bytes";
import type { Disk, DiskFile } from "../port/disk.ts";

/** Bytes that may wait for the disk. More means that it is too slow. */
const WAITING_BYTES_MAX = 16_777_216;

/**
 * A new file that grows behind a function that does not wait, such as a recording of what a server receives. Pieces
 * are appended in order, so that the end of a process leaves a beginning of them. They are durable once the file is
 * closed.
 */
export class GrowingFile {
  readonly #disk: Disk;
  readonly #file: DiskFile;
  readonly #onFailure: (error: unknown) => void;
  #waiting = new ByteWriter();
  #appendingBytes = 0;
  #appending: Promise<void> | undefined;
  #failure: { readonly error: unknown } | undefined;

  private constructor(disk: Disk, file: DiskFile, onFailure: (error: unknown) => void) {
    this.#disk = disk;
    this.#file = file;
    this.#onFailure = onFailure;
  }

  /**
   * Creates the file in the root of a disk. Throws `ORT_EXISTS` if it exists. Calls `onFailure` once if it can no
   * longer be written.
   */
  static async create(disk: Disk, name: string, onFailure: (error: unknown) => void): Promise<GrowingFile> {
    return new GrowingFile(disk, await disk.open(name, "create"), onFailure);
  }

  /** Appends a copy of `bytes` later. Throws after a failure, and when too much waits for the disk. */
  write(bytes: Uint8Array): void {
    if (this.#failure !== undefined) throw this.#failure.error;
    const waiting = this.#appendingBytes + this.#waiting.length;
    if (waiting + bytes.length > WAITING_BYTES_MAX) {
      const error = new OrthantError(
        "ORT_LIMIT",
        `${waiting} bytes wait for a disk that is too slow for them`,
      );
      this.#fail(error);
      throw error;
    }
    this.#waiting.raw(bytes);
    this.#appending ??= this.#appendWaiting();
  }

  /** Appends what waits, makes it durable and closes the file. Failures go to `onFailure`. */
  async close(): Promise<void> {
    try {
      await this.#appending;
      if (this.#failure !== undefined) return;
      await this.#file.sync();
      await this.#disk.syncDirectory("");
    } catch (error) {
      this.#fail(error);
    } finally {
      await this.#file.close();
    }
  }

  async #appendWaiting(): Promise<void> {
    try {
      while (this.#waiting.length > 0 && this.#failure === undefined) {
        const bytes = this.#waiting.view();
        this.#waiting = new ByteWriter();
        this.#appendingBytes = bytes.length;
        await this.#file.append(bytes);
        this.#appendingBytes = 0;
      }
    } catch (error) {
      this.#fail(error);
    } finally {
      this.#appending = undefined;
    }
  }

  #fail(error: unknown): void {
    if (this.#failure !== undefined) return;
    this.#failure = { error };
    this.#waiting.clear();
    this.#onFailure(error);
  }
}
