/** A store as a reopened world has it. */
export interface RecoveredStore {
  /** The number that the store holds; 0 if it holds none. */
  readonly number: number;
  /** The edits that the world still has. */
  readonly edits: number;
}

/**
 * Numbered changes of one key of a world's store, and their place among the edits. A crash may remove only
 * the last changes, never a durable one, and never a change without the edits after it.
 */
export class StoreHistory {
  /** By the number of a change: the edits that were applied before it was requested. */
  readonly #editsBefore = [0];
  /** By edit: the last change that was complete before the edit was requested. */
  #changesBefore: number[] = [];
  #complete = 0;
  #durable = 0;

  /** Number of the last complete change. */
  get complete(): number {
    return this.#complete;
  }

  /** Numbers a change that is requested after `edits` edits were applied. */
  begin(edits: number): number {
    return this.#editsBefore.push(edits) - 1;
  }

  /** Records that the world applied a change. */
  completed(number: number): void {
    this.#complete = Math.max(this.#complete, number);
  }

  /** Records an edit that was requested when `complete` was the last complete change. */
  addEdit(complete: number): void {
    this.#changesBefore.push(complete);
  }

  /** Marks all changes up to a number as durable. */
  markDurable(number: number): void {
    this.#durable = Math.max(this.#durable, number);
  }

  /** Announces that the world will be opened from an old copy, so that no change counts as durable. */
  rollBack(): void {
    this.#durable = 0;
  }

  /** Checks the store of a reopened world. */
  recover({ number, edits }: RecoveredStore): void {
    const editsBefore = this.#editsBefore[number];
    if (editsBefore === undefined) throw new Error(`the store holds ${number}, which was never written`);
    if (number < this.#durable)
      throw new Error(`the store holds change ${number}, and change ${this.#durable} was durable`);
    if (editsBefore > edits)
      throw new Error(
        `change ${number} of the store is there, but only ${edits} of ${editsBefore} edits before it`,
      );
    this.#changesBefore.length = edits;
    const needed = this.#changesBefore.reduce((most, before) => Math.max(most, before), 0);
    if (number < needed)
      throw new Error(`the store holds change ${number}, and an edit after change ${needed} is there`);
    this.#complete = number;
  }
}
