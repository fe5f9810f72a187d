/** Which generations of a save somebody has open in this process, so that no file which they may still read is removed. */
export class GenerationHolds {
  readonly #counts = new Map<number, number>();

  /** Counts one more who has a generation open. */
  hold(generation: number): void {
    this.#counts.set(generation, (this.#counts.get(generation) ?? 0) + 1);
  }

  /** Counts one less. */
  release(generation: number): void {
    const count = (this.#counts.get(generation) ?? 0) - 1;
    if (count > 0) this.#counts.set(generation, count);
    else this.#counts.delete(generation);
  }

  /** The generations that are open now. */
  generations(): ReadonlySet<number> {
    return new Set(this.#counts.keys());
  }
}
