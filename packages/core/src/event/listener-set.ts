import { wrongArgument } from "../error/orthant-error.ts";

/** A set of event listeners. */
export class ListenerSet<Event extends readonly unknown[]> {
  readonly #listeners = new Set<(...event: Event) => void>();
  readonly #onError: ((error: unknown) => void) | undefined;

  /** `onError` receives the errors of listeners. Without it, {@link emit} throws the first one. */
  constructor(onError?: (error: unknown) => void) {
    this.#onError = onError;
  }

  /** Whether there is no listener. */
  get isEmpty(): boolean {
    return this.#listeners.size === 0;
  }

  /** Adds a listener. Returns an unsubscribe function. The same function may be added more than once. */
  add(listener: (...event: Event) => void): () => void {
    if (typeof listener !== "function") throw wrongArgument("listener", listener, "it is a function");
    const own = (...event: Event): void => listener(...event);
    this.#listeners.add(own);
    return () => {
      this.#listeners.delete(own);
    };
  }

  /** Calls all listeners, even if one throws. */
  emit(...event: Event): void {
    this.emitAll([event]);
  }

  /** Like {@link emit}, for several events. */
  emitAll(events: Iterable<Event>): void {
    if (this.#listeners.size === 0) return;
    const failures: unknown[] = [];
    for (const event of events) {
      for (const listener of [...this.#listeners]) {
        try {
          listener(...event);
        } catch (error) {
          failures.push(error);
        }
      }
    }
    if (this.#onError !== undefined) failures.forEach(this.#onError);
    else if (failures.length > 0) throw failures[0];
  }
}
