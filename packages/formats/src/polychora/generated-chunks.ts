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
import type { GlobalState } from "./records/global-record.ts";
import type { GeneratedChunks } from "./records/stored-block.ts";

/** What fills a world without a generator: nothing but air. */
export const NOTHING: GeneratorRef = generatorRef(flatGenerator, { ...FLAT_DEFAULTS, thickness: 0 }, 0n);

/** The generator that makes what nobody touched in a world; `ORT_NOT_FOUND` when the world names none. */
export function generatorOf({ base, generators, worldSeed }: GlobalState): GeneratorRef {
  if (base.kind === "empty") return NOTHING;
  if (base.kind === "flatFloor") {
    return generatorRef(flatGenerator, { ...FLAT_DEFAULTS, material: base.material }, worldSeed);
  }
  const [generator] = generators;
  if (generator === undefined) throw new OrthantError("ORT_NOT_FOUND", "the world names no generator");
  return new GeneratorRef(generator.generatorId, generator.params, generator.seed, generator.versionHash);
}

/**
 * What a world's generator makes at each place. The generator is opened when the first chunk is asked for, so that a
 * world whose generator is not here, which is then `ORT_GENERATOR_UNKNOWN`, can be opened as long as nobody asks.
 */
export function generatedChunks(
  global: GlobalState,
  generators: GeneratorRegistry = DEFAULT_GENERATORS,
): GeneratedChunks {
  let space: GeneratedSpace | undefined;
  return (place) => {
    space ??= generators.open(generatorOf(global), global.description.chunkShape);
    return space.realize(...place);
  };
}

/**
 * Throws `ORT_ARGUMENT` when a commit would give a world another generator: what is stored as a change to what the one
 * made would become something else. Rule S81.
 */
export function requireSameGenerator(now: GlobalState, next: GlobalState = now): void {
  if (next === now || namesOf(now) === namesOf(next)) return;
  throw new OrthantError("ORT_ARGUMENT", "a world keeps the generator that it was made with");
}

/** All that says which generator a world has, whether it is here or not. */
function namesOf({ base, generators, worldSeed }: GlobalState): string {
  if (base.kind === "empty") return base.kind;
  if (base.kind === "flatFloor") return `${base.kind} ${base.material} ${worldSeed}`;
  return generators
    .slice(0, 1)
    .map(({ generatorId, params, seed, versionHash }) => [generatorId, params, seed, versionHash].join(" "))
    .join();
}
