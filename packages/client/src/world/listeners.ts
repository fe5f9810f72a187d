/** Those who want to be told of something. */
export class Listeners<Arguments extends readonly unknown[]> {
  readonly #listeners = new Set<(...told: Arguments) => void>();

  /** Adds a listener, until the function returned is called. The same function may listen more than once. */
  add(listener: (...told: Arguments) => void): () => void {
    const own = (...told: Arguments): void => listener(...told);
    this.#listeners.add(own);
    return () => {
      this.#listeners.delete(own);
    };
  }

  /** Tells all. What a listener throws stops nothing here: it surfaces as an unhandled rejection. */
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
