import { I32_MAX } from "../bytes/integers.ts";
import type { Chunk } from "../chunk/chunk.ts";
import { boxBetween } from "../lattice/box.ts";
import type { ChunkShape } from "../lattice/chunk-shape.ts";
import type { LitWorld } from "../light/lit-world.ts";
import type { OverrideTree } from "../tree/override-tree.ts";
import type { WorldState } from "./world-state.ts";

/** The light of a state of a world, all of which is in memory. */
export class LitState implements LitWorld {
  readonly #state: () => WorldState;

  /** `state` returns the state of now. */
  constructor(state: () => WorldState) {
    this.#state = state;
  }

  get shape(): ChunkShape {
    return this.#state().shape;
  }

  get skyAbove(): number | undefined {
    return this.#state().skyAbove;
  }

  chunkAt(x: number, y: number, z: number, w: number): Chunk | undefined {
    return this.#state().findChunk(x, y, z, w);
  }

  chunkAbove(x: number, y: number, z: number, w: number): Chunk | undefined {
    return this.#state().findChunk(x, y, z, w);
  }

  editedAbove(x: number, y: number, z: number, w: number): Iterable<Chunk> {
    return overridesAbove(this.#state().overrides, x, y, z, w);
  }
}

/** Returns the edited chunks from a position up, once for each box of equal ones. */
export function* overridesAbove(
  overrides: OverrideTree,
  x: number,
  y: number,
  z: number,
  w: number,
): Generator<Chunk> {
  const column = boxBetween([x, y, z, w], [x + 1, I32_MAX + 1, z + 1, w + 1]);
  for (const { content } of overrides.pieces(column)) yield content;
}
