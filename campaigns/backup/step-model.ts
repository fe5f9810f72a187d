import { cellOfVoxel, chunkOfVoxel, HYPERCUBE_CHUNKS, type Position, PositionMap } from "@orthant/core";
import type { Save } from "@orthant/save";
import { stepOf } from "../process/written-world.ts";

const SHAPE = HYPERCUBE_CHUNKS;

/** Model of all voxels that the writer has set after each of its steps. Steps only go forward. */
export class StepModel {
  /** Materials by voxel index, for each chunk that has any. */
  readonly #chunks = new PositionMap<Map<number, number>>();
  #step = 0;

  /** Returns the step that a save holds, by its counter. */
  async stepIn(save: Save): Promise<number> {
    const origin: Position = [0, 0, 0, 0];
    for await (const leaf of save.index.all()) {
      for (const { position, chunk } of await save.readBlocks(leaf)) {
        if (position.every((at, axis) => at === origin[axis])) return chunk.get(1) * 0x1_0000 + chunk.get(0);
      }
    }
    return 0;
  }

  /** Describes how a save differs from exactly the steps up to `step`; `undefined` when it does not. */
  async faultIn(save: Save, step: number): Promise<string | undefined> {
    this.#advance(step);
    let chunks = 0;
    for await (const leaf of save.index.all()) {
      for (const { position, chunk } of await save.readBlocks(leaf)) {
        chunks++;
        const expected = this.#chunks.get(...position);
        const voxels = chunk.voxels();
        let differing = 0;
        for (let cell = 0; cell < voxels.length; cell++) {
          if (voxels[cell] !== (expected?.get(cell) ?? 0)) differing++;
        }
        if (differing > 0)
          return `after step ${step}, chunk [${position}] has ${differing} voxels of another step`;
      }
    }
    return chunks === this.#chunks.size
      ? undefined
      : `after step ${step} there are ${chunks} chunks, not ${this.#chunks.size}`;
  }

  #advance(step: number): void {
    if (step < this.#step) throw new Error(`step ${step} after ${this.#step}`);
    while (this.#step < step) {
      this.#step++;
      for (const { voxel, material } of stepOf(this.#step)) {
        const position = chunkOfVoxel(SHAPE, voxel);
        const cells = this.#chunks.get(...position) ?? new Map<number, number>();
        this.#chunks.set(...position, cells);
        cells.set(cellOfVoxel(SHAPE, ...voxel), material);
      }
    }
  }
}
