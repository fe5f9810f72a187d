/** Asks the world once for all edits of one moment whether they are durable. */
export class Durability {
  readonly #whenDurable: () => Promise<void>;
  #next: Promise<void> | undefined;

  constructor(whenDurable: () => Promise<void>) {
    this.#whenDurable = whenDurable;
  }

  /** Resolves when an edit that was made before this call will survive a crash. */
  wait(): Promise<void> {
    this.#next ??= this.#ask();
    return this.#next;
  }

  async #ask(): Promise<void> {
    // What is made until the world is asked shares the answer.
    await Promise.resolve();
    this.#next = undefined;
    await this.#whenDurable();
  }
}
