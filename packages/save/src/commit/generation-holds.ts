/** Counts the open generations of a save in this process, so that no file still being read is removed. */
export class GenerationHolds {
  readonly #counts = new Map<number, number>();

  /** Counts one more holder of a generation. */
  hold(generation: number): void {
    this.#counts.set(generation, (this.#counts.get(generation) ?? 0) + 1);
  }

  /** Counts one holder fewer. */
  release(generation: number): void {
    const count = (this.#counts.get(generation) ?? 0) - 1;
    if (count > 0) this.#counts.set(generation, count);
    else this.#counts.delete(generation);
  }

  /** Returns the generations that are open. */
  generations(): ReadonlySet<number> {
    return new Set(this.#counts.keys());
  }
}
