/** A set of event listeners. */
export class Listeners<Event> {
  readonly #listeners = new Set<(event: Event) => void>();

  /** Adds a listener. Returns an unsubscribe function. */
  add(listener: (event: Event) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Calls all listeners with an event, even if one throws; then rethrows the first error. */
  emit(event: Event): void {
    this.emitAll([event]);
  }

  /** Like {@link emit}, for several events. */
  emitAll(events: Iterable<Event>): void {
    const failures: unknown[] = [];
    for (const event of events) {
      for (const listener of [...this.#listeners]) {
        try {
          listener(event);
        } catch (error) {
          failures.push(error);
        }
      }
    }
    if (failures.length > 0) throw failures[0];
  }
}
