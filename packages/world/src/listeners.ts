/** Functions that want to be told of something. */
export class Listeners<Event> {
  readonly #listeners = new Set<(event: Event) => void>();

  /** Tells this one too, until the function returned is called. */
  add(listener: (event: Event) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Tells everybody of an event. When one throws, the others are told all the same, and then it is thrown. */
  tell(event: Event): void {
    this.tellAll([event]);
  }

  /** Tells everybody of each event; the same holds. */
  tellAll(events: Iterable<Event>): void {
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
