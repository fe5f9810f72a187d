import { GeneratorRef } from "../tree/content.ts";
import type { WorldGenerator } from "./world-generator.ts";

/** A generator with the parameters and the seed of one world, such as `terrain({ seed: 7n })` returns. */
export interface SeededGenerator {
  /** What a save remembers of it. */
  readonly ref: GeneratorRef;
  readonly generator: WorldGenerator<unknown>;
}

/** Whether a value is a generator with a seed. */
export function isSeededGenerator(value: unknown): value is SeededGenerator {
  if (typeof value !== "object" || value === null) return false;
  const { ref, generator } = value as Partial<SeededGenerator>;
  return ref instanceof GeneratorRef && typeof generator?.open === "function";
}
