/** Asks the world once about the durability of all edits made at the same time. */
export class Durability {
  readonly #whenDurable: () => Promise<void>;
  #next: Promise<void> | undefined;

  constructor(whenDurable: () => Promise<void>) {
    this.#whenDurable = whenDurable;
  }

  /** Resolves when all edits made before this call will survive a crash. */
  wait(): Promise<void> {
    this.#next ??= this.#ask();
    return this.#next;
  }

  async #ask(): Promise<void> {
    // Edits made before the world is asked share the answer.
    await Promise.resolve();
    this.#next = undefined;
    await this.#whenDurable();
  }
}
