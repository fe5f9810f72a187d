import type { VoxelPlacement } from "@orthant/core";

/** Number of edits that can be undone. */
const EDITS_KEPT = 100;

/** The visitor's last edits, stored as the placements that undo them. */
export class EditHistory {
  #undos: (readonly VoxelPlacement[])[] = [];

  /** Records the voxels before an edit. Returns a function that forgets them if the edit is not applied. */
  remember(before: readonly VoxelPlacement[]): () => void {
    this.#undos.push(before);
    if (this.#undos.length > EDITS_KEPT) this.#undos.shift();
    return () => {
      this.#undos = this.#undos.filter((undo) => undo !== before);
    };
  }

  /** Removes and returns the placements that undo the last edit; `undefined` when there is none. */
  takeLast(): readonly VoxelPlacement[] | undefined {
    return this.#undos.pop();
  }
}
