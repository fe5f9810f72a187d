import type { DiskFile } from "@orthant/disk";

/** An open file that closes once it is retired and its last user is done. */
export class LeasedFile {
  readonly #file: DiskFile;
  #users = 0;
  #isRetired = false;

  constructor(file: DiskFile) {
    this.#file = file;
  }

  /** Runs `work` with the file, which stays open until the work finishes. */
  async use<Value>(work: (file: DiskFile) => Promise<Value>): Promise<Value> {
    this.#users++;
    try {
      return await work(this.#file);
    } finally {
      this.#users--;
      if (this.#isRetired) await this.#closeIfIdle();
    }
  }

  /** Closes the file as soon as no work uses it. */
  async retire(): Promise<void> {
    this.#isRetired = true;
    await this.#closeIfIdle();
  }

  async #closeIfIdle(): Promise<void> {
    if (this.#users === 0) await this.#file.close();
  }
}
