import {
  DEFAULT_GENERATORS,
  FLAT_DEFAULTS,
  flatGenerator,
  type GeneratedSpace,
  GeneratorRef,
  type GeneratorRegistry,
  generatorRef,
  OrthantError,
} from "@orthant/core";
import type { GlobalState } from "./global-record.ts";
import type { GeneratedChunks } from "./stored-chunk.ts";

/** Generator of a world without one: only air. */
export const NOTHING: GeneratorRef = generatorRef(flatGenerator, { ...FLAT_DEFAULTS, thickness: 0 }, 0n);

/** Returns the generator of a world's unedited chunks. Throws `ORT_NOT_FOUND` if the world names none. */
export function generatorOf({ base, generators, worldSeed }: GlobalState): GeneratorRef {
  if (base.kind === "empty") return NOTHING;
  if (base.kind === "flatFloor") {
    return generatorRef(flatGenerator, { ...FLAT_DEFAULTS, block: base.block }, worldSeed);
  }
  const [generator] = generators;
  if (generator === undefined) throw new OrthantError("ORT_NOT_FOUND", "the world names no generator");
  return new GeneratorRef(generator.generatorId, generator.params, generator.seed, generator.versionHash);
}

/**
 * Returns a function that makes the chunks of a world's generator. It opens the generator on first use, so a
 * world whose generator is missing can still be opened; the first call then throws `ORT_GENERATOR_UNKNOWN`.
 */
export function generatedChunks(
  global: GlobalState,
  generators: GeneratorRegistry = DEFAULT_GENERATORS,
): GeneratedChunks {
  let space: GeneratedSpace | undefined;
  return (position) => {
    space ??= generators.open(generatorOf(global), global.description.chunkShape);
    return space.realize(...position);
  };
}

/**
 * Throws `ORT_ARGUMENT` if a commit would change a world's generator, because chunks stored as changes to its
 * output would become something else. Rule S81.
 */
export function requireSameGenerator(now: GlobalState, next: GlobalState = now): void {
  if (next === now || namesOf(now) === namesOf(next)) return;
  throw new OrthantError("ORT_ARGUMENT", "a world keeps the generator that it was made with");
}

/** Identifies a world's generator, whether it is available or not. */
function namesOf({ base, generators, worldSeed }: GlobalState): string {
  if (base.kind === "empty") return base.kind;
  if (base.kind === "flatFloor") return `${base.kind} ${base.block} ${worldSeed}`;
  return generators
    .slice(0, 1)
    .map(({ generatorId, params, seed, versionHash }) => [generatorId, params, seed, versionHash].join(" "))
    .join();
}
