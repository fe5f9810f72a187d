/** A requested save. */
export class PixelSaveHandle {
  /** Resolves when everything stored before the call is durable; rejects if that is no longer possible. */
  readonly done: Promise<void>;
  #isComplete = false;
  #failure: unknown;

  constructor(done: Promise<void>) {
    this.done = done;
    done.then(
      () => {
        this.#isComplete = true;
      },
      // Callers that only poll never await `done`: its rejection must not end their process.
      (error: unknown) => {
        this.#failure = error;
      },
    );
  }

  /** True when the save is durable, so that the game may exit. */
  get isComplete(): boolean {
    return this.#isComplete;
  }

  /** Why the save failed; `undefined` unless it has. */
  get failure(): unknown {
    return this.#failure;
  }
}
