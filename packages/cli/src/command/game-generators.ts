import { type GeneratorRegistry, OrthantError, type WorldGenerator } from "@orthant/core";
import { DEFAULT_GENERATORS, generatorIn, generatorsOf } from "@orthant/core/generate";

/** A generator of a game. */
export interface GameGenerator {
  readonly generator: WorldGenerator<unknown>;
  /** What the game exports or passes: the generator, or something that has it. */
  readonly source: object;
  /** Where it comes from, for error messages. */
  readonly from: string;
}

/** The generators of Orthant and those of a game. */
export interface KnownGenerators {
  readonly registry: GeneratorRegistry;
  /** Those of the game, in the order in which they were given. */
  readonly own: readonly GameGenerator[];
}

/** Adds a game's generators to those of Orthant. Throws `ORT_ARGUMENT` when two have one id and one version. */
export function withGameGenerators(own: readonly GameGenerator[]): KnownGenerators {
  const byVersion = new Map<string, GameGenerator>();
  for (const added of own) {
    const { id, version, parametersVersion } = added.generator;
    const key = `${id} ${version} ${parametersVersion}`;
    const known = byVersion.get(key);
    if (known?.generator === added.generator) continue;
    if (known !== undefined) {
      const places =
        known.from === added.from ? `twice in ${added.from}` : `in ${known.from} and ${added.from}`;
      throw new OrthantError(
        "ORT_ARGUMENT",
        `two generators have the id "${id}" and version ${version}, ${places}; rename one, or give it a higher version`,
      );
    }
    if (DEFAULT_GENERATORS.ids.includes(id)) {
      const detail = `"${id}" in ${added.from} is the id of a generator of Orthant; use one such as my-game:${id}`;
      throw new OrthantError("ORT_ARGUMENT", detail);
    }
    byVersion.set(key, added);
  }
  const all = [...byVersion.values()];
  return { registry: generatorsOf(all), own: all };
}

/** Checks generators that a program passes. Throws `ORT_ARGUMENT` for anything else. */
export function passedGenerators(sources: unknown): readonly GameGenerator[] {
  if (!Array.isArray(sources)) throw wrongSource("generators", "a list of generators");
  return sources.map((source: unknown, index) => {
    const from = `generators[${index}]`;
    const generator = generatorIn(source);
    if (generator === undefined) throw wrongSource(from, "a generator, such as defineGenerator returns");
    return { generator, source: source as object, from };
  });
}

function wrongSource(name: string, wanted: string): OrthantError {
  return new OrthantError("ORT_ARGUMENT", `${name} is not ${wanted}`);
}
