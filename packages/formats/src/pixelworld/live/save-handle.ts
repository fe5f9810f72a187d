/** A save that was asked for. */
export class PixelSaveHandle {
  /** Kept when all that was stored before is durable; broken when it cannot be any more. */
  readonly done: Promise<void>;
  #isComplete = false;
  #failure: unknown;

  constructor(done: Promise<void>) {
    this.done = done;
    done.then(
      () => {
        this.#isComplete = true;
      },
      // Whoever only looks now and then must not be ended by a promise that nobody awaits.
      (error: unknown) => {
        this.#failure = error;
      },
    );
  }

  /** Whether it is durable: now the game may end. */
  get isComplete(): boolean {
    return this.#isComplete;
  }

  /** Why it never will be; `undefined` while it may. */
  get failure(): unknown {
    return this.#failure;
  }
}
