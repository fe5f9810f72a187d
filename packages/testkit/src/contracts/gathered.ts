/** Collects items from callbacks, so that a test can wait for them. */
export class Gathered<T> {
  readonly items: T[] = [];
  readonly #waiting = new Set<() => void>();

  readonly take = (item: T): void => {
    this.items.push(item);
    for (const wake of this.#waiting) wake();
  };

  /** Resolves as soon as `isEnough` accepts the items. */
  until(isEnough: (items: readonly T[]) => boolean): Promise<readonly T[]> {
    return new Promise((resolve) => {
      const check = (): void => {
        if (!isEnough(this.items)) return;
        this.#waiting.delete(check);
        resolve(this.items);
      };
      this.#waiting.add(check);
      check();
    });
  }
}
