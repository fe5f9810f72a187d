/** A promise with functions to settle it. It may remain without a handler. */
export interface Deferred<Value> {
  readonly promise: Promise<Value>;
  readonly resolve: (value: Value | Promise<Value>) => void;
  readonly reject: (error: unknown) => void;
}

/** Returns a promise for other code to settle. */
export function deferred<Value>(): Deferred<Value> {
  let resolve: Deferred<Value>["resolve"] = () => undefined;
  let reject: Deferred<Value>["reject"] = () => undefined;
  const promise = new Promise<Value>((settle, fail) => {
    resolve = settle;
    reject = fail;
  });
  // A caller that awaits it still sees the error; without one, it must not crash the program.
  promise.catch(() => undefined);
  return { promise, resolve, reject };
}

/** A set of event listeners. */
export class ListenerSet<Event extends readonly unknown[]> {
  readonly #listeners = new Set<(...event: Event) => void>();

  /** Adds a listener. Returns an unsubscribe function. The same function may be added more than once. */
  add(listener: (...event: Event) => void): () => void {
    const own = (...event: Event): void => listener(...event);
    this.#listeners.add(own);
    return () => {
      this.#listeners.delete(own);
    };
  }

  /** Calls all listeners. An error in one stops nothing here; it surfaces as an unhandled rejection. */
  emit(...event: Event): void {
    for (const listener of [...this.#listeners]) {
      try {
        listener(...event);
      } catch (error) {
        Promise.reject(error);
      }
    }
  }
}
