/** A set of event listeners. */
export class Listeners<Arguments extends readonly unknown[]> {
  readonly #listeners = new Set<(...told: Arguments) => void>();

  /** Adds a listener. Returns an unsubscribe function. The same function may be added more than once. */
  add(listener: (...told: Arguments) => void): () => void {
    const own = (...told: Arguments): void => listener(...told);
    this.#listeners.add(own);
    return () => {
      this.#listeners.delete(own);
    };
  }

  /** Calls all listeners. An error in one stops nothing here; it surfaces as an unhandled rejection. */
  tell(...told: Arguments): void {
    for (const listener of [...this.#listeners]) {
      try {
        listener(...told);
      } catch (error) {
        Promise.reject(error);
      }
    }
  }
}
