import { OrthantError } from "@orthant/core";
import { type AccessHandle, type OriginFile, patiently } from "./access-handle.ts";

/**
 * A file that is open, as all share it who opened it: a browser gives one handle a file, and none while the file is
 * moved.
 */
export class OpfsContent {
  /** Where it is; `undefined` once it has lost its name. */
  path: string | undefined;
  /** How many have it open. */
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

  /** Opens a file. Nobody uses it yet. */
  static async open(path: string, file: OriginFile): Promise<OpfsContent> {
    return new OpfsContent(path, file, await patiently(() => file.createSyncAccessHandle()));
  }

  /** Gives the handle to `work`: at once, or when the file has been moved. Those who wait go in the order they came. */
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
        this.#loss = error; // told to whoever uses the file next
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
