interface Waiter {
  readonly position: number;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/** Callers who wait until a log has stored all entries up to a position. */
export class DurableWaiters {
  readonly #waiters: Waiter[] = [];

  /** Resolves when everything up to a position is stored. Positions never fall from call to call. */
  wait(position: number): Promise<void> {
    return new Promise((resolve, reject) => this.#waiters.push({ position, resolve, reject }));
  }

  /** Resolves all who wait for a position up to this one. */
  reached(position: number): void {
    const waiting = this.#waiters.findIndex((waiter) => waiter.position > position);
    for (const { resolve } of this.#waiters.splice(0, waiting < 0 ? this.#waiters.length : waiting))
      resolve();
  }

  reject(error: unknown): void {
    for (const { reject } of this.#waiters.splice(0)) reject(error);
  }
}
