import {
  FLAT_DEFAULTS,
  flatGenerator,
  type GeneratorRef,
  generatorRef,
  isOrthantError,
  MAZE_DEFAULTS,
  mazeGenerator,
  PLATFORMS_DEFAULTS,
  platformsGenerator,
  TERRAIN_DEFAULTS,
  terrainGenerator,
  type WorldGenerator,
} from "@orthant/core";
import { withParameters } from "../parse/parameters.ts";
import { UsageError } from "../usage-error.ts";

/** A generator for new worlds. Turns `name=value` words and a seed into a reference. */
export interface NamedGenerator {
  readonly name: string;
  /** Its parameters with their defaults, for help. */
  readonly parameters: string;
  ref(words: readonly string[], seed: bigint, defaults?: object): GeneratorRef;
}

/** All generators included in Orthant. */
export const GENERATORS: readonly NamedGenerator[] = [
  named(flatGenerator, FLAT_DEFAULTS),
  named(mazeGenerator, MAZE_DEFAULTS),
  named(platformsGenerator, PLATFORMS_DEFAULTS),
  named(terrainGenerator, TERRAIN_DEFAULTS),
];

function named<Parameters extends object>(
  generator: WorldGenerator<Parameters>,
  defaults: Parameters,
): NamedGenerator {
  return {
    name: generator.id,
    parameters: Object.entries(defaults)
      .map(([name, value]) => `${name}=${Array.isArray(value) ? value.join(",") : value}`)
      .join(" "),
    ref(words, seed, templateDefaults = {}) {
      const parameters = withParameters({ ...defaults, ...templateDefaults }, words);
      try {
        return generatorRef(generator, parameters, seed);
      } catch (error) {
        if (isOrthantError(error)) throw new UsageError(`--set ${words.join(" ")}: ${error.detail}`);
        throw error;
      }
    },
  };
}
