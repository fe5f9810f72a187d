import { OrthantError } from "@orthant/core";
import { type AccessHandle, type OriginFile, patiently } from "./access-handle.ts";

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
