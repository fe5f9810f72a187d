import type { VoxelPlacement } from "@orthant/core";

/** How many edits can be undone. */
const EDITS_KEPT = 100;

/** One's own last edits, as what has to be placed to undo them. */
export class EditHistory {
  #undos: (readonly VoxelPlacement[])[] = [];

  /** Remembers what was there before an edit. Gives what to call when the edit was not made after all. */
  remember(before: readonly VoxelPlacement[]): () => void {
    this.#undos.push(before);
    if (this.#undos.length > EDITS_KEPT) this.#undos.shift();
    return () => {
      this.#undos = this.#undos.filter((undo) => undo !== before);
    };
  }

  /** What undoes the last edit that is left; `undefined` when none is. */
  takeLast(): readonly VoxelPlacement[] | undefined {
    return this.#undos.pop();
  }
}
