import type { Box, Chunk, ChunkShape } from "@orthant/core";
import { requireFunction } from "@orthant/core/arguments";
import type { GeneratorRef } from "@orthant/core/generate";
import type { GeneratorMap, Piece, WorldState } from "@orthant/core/tree";

/** Where a pool finds the chunks of a world, on the thread that has it. {@link stateSource} makes one. */
export interface SceneSource {
  readonly shape: ChunkShape;
  /** What untouched chunks are generated with; `undefined` if only this thread has them. */
  readonly generators: SourceGenerators | undefined;
  /** From this height up generators make only air; `undefined` for a world without a sky. */
  readonly skyAbove: number | undefined;
  /** Whether all chunks of a box are in memory, or as generated. */
  has(box: Box): boolean;
  /** Returns the chunks of a box that are not as generated, of those in memory. */
  madeIn(box: Box): Iterable<Piece<Chunk>>;
  /** Returns a chunk, for generators that workers do not have; `undefined` while it is not in memory. */
  chunkAt(x: number, y: number, z: number, w: number): Chunk | undefined;
}

/** The generators of a world, and the modules that export them. */
export interface SourceGenerators {
  readonly map: GeneratorMap;
  moduleOf(ref: GeneratorRef): string | undefined;
}

/**
 * Returns the chunks of a state of a world. `state` is called for the present one; `has` says which chunks are in memory, for
 * worlds that do not have all of them.
 *
 * @example
 * stateSource(() => world.engine.state)
 */
export function stateSource(state: () => WorldState, has: (box: Box) => boolean = () => true): SceneSource {
  requireFunction("state", state);
  requireFunction("has", has);
  return {
    get shape() {
      return state().shape;
    },
    get generators() {
      const { generatorMap, generators } = state();
      return { map: generatorMap, moduleOf: (ref: GeneratorRef) => generators.moduleOf(ref) };
    },
    get skyAbove() {
      return state().skyAbove;
    },
    has,
    madeIn: (box) => state().overrides.pieces(box),
    chunkAt: (x, y, z, w) => state().findChunk(x, y, z, w),
  };
}
