import type { DiskFile } from "@orthant/disk";

/** An open file that is closed when it is given up and nobody reads it any more. */
export class LeasedFile {
  readonly #file: DiskFile;
  #users = 0;
  #isRetired = false;

  constructor(file: DiskFile) {
    this.#file = file;
  }

  /** Works with the file, which stays open until the work is done. */
  async use<Value>(work: (file: DiskFile) => Promise<Value>): Promise<Value> {
    this.#users++;
    try {
      return await work(this.#file);
    } finally {
      this.#users--;
      if (this.#isRetired) await this.#closeIfIdle();
    }
  }

  /** Gives the file up. */
  async retire(): Promise<void> {
    this.#isRetired = true;
    await this.#closeIfIdle();
  }

  async #closeIfIdle(): Promise<void> {
    if (this.#users === 0) await this.#file.close();
  }
}
