import {
  type Chunk,
  DEFAULT_GENERATORS,
  FLAT_DEFAULTS,
  flatGenerator,
  type GeneratedSpace,
  GeneratorRef,
  type GeneratorRegistry,
  generatorRef,
  OrthantError,
  type Place,
} from "@orthant/core";
import type { GlobalState } from "./records/global-record.ts";

/** What fills a world without a generator: nothing but air. */
export const NOTHING: GeneratorRef = generatorRef(flatGenerator, { ...FLAT_DEFAULTS, thickness: 0 }, 0n);

/** What fills the space of a world that nobody touched. `ORT_NOT_FOUND` when the world does not say. */
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
 * What the generator of a world makes of a chunk. The generator is opened for the first chunk that is asked for, so
 * a program that lacks it can read all that does not need it.
 */
export function generatedChunks(
  global: GlobalState,
  generators: GeneratorRegistry = DEFAULT_GENERATORS,
): (place: Place) => Chunk {
  let space: GeneratedSpace | undefined;
  return (place) => {
    space ??= generators.open(generatorOf(global), global.description.chunkShape);
    return space.realize(...place);
  };
}
