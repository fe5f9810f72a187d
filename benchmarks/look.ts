import type { Figure } from "./figure.ts";
import { lightFigures } from "./look/light-figures.ts";
import { meshFigures } from "./look/mesh-figures.ts";
import { terrainChunks } from "./look/terrain-chunks.ts";

/**
 * Question: what do the light and the picture of a chunk cost?
 * Budgets: the surface of a chunk of terrain with shaded corners and light takes at most 400 microseconds of processor time, a
 * fifth of what the mesher of earlier versions takes in the same run, and 16 bytes a quad. The light of a chunk of terrain takes
 * at most 1 ms from nothing, and a lamp 2 ms: a frame has 16 ms, and a player who places one should see it in the next.
 */
export function* lookSuite(): Generator<Figure> {
  const { state, chunks } = terrainChunks();
  yield* meshFigures(chunks);
  yield* lightFigures(state, chunks);
}
