import { type GeneratorRegistry, isOrthantError, type WorldGenerator } from "@orthant/core";
import {
  FLAT_DEFAULTS,
  flatGenerator,
  GeneratorRef,
  generatorRef,
  MAZE_DEFAULTS,
  mazeGenerator,
  PLATFORMS_DEFAULTS,
  platformsGenerator,
  TERRAIN_DEFAULTS,
  terrainGenerator,
} from "@orthant/core/generate";
import type { GameGenerator } from "../command/game-generators.ts";
import { parsePosition } from "../command/parse.ts";
import { UsageError } from "../command/usage.ts";

/** A generator for new worlds. Turns `name=value` words and a seed into a reference. */
export interface NamedGenerator {
  readonly name: string;
  /** Its parameters with their defaults, for help. */
  readonly parameters: string;
  /** The number of axes of its worlds, if it generates no others. */
  readonly dimensions?: string | undefined;
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
      return settingParameters(words, () => generatorRef(generator, parameters, seed));
    },
  };
}

/** Returns a generator of a game. Its own function, or else its codec, decides which parameters it has. */
function gameGenerator({ generator, source }: GameGenerator): NamedGenerator {
  const { defaults, dimensions } = source as { readonly defaults?: unknown; readonly dimensions?: unknown };
  return {
    name: generator.id,
    parameters: "",
    dimensions: dimensions === undefined ? undefined : String(dimensions),
    ref(words, seed) {
      const parameters =
        typeof defaults === "object" && defaults !== null
          ? withParameters(defaults, words)
          : Object.fromEntries(words.map(guessedParameter));
      return settingParameters(words, () => {
        if (typeof source !== "function") return generatorRef(generator, parameters, seed);
        const { ref } = source({ ...parameters, seed }) as { readonly ref?: unknown };
        if (ref instanceof GeneratorRef) return ref;
        throw new UsageError(
          `the generator "${generator.id}" comes from another copy of @orthant/core; use the orthant of its game: npx orthant`,
        );
      });
    },
  };
}

/** Returns the generators of a game, each in its newest version, which new worlds get. */
export function newestOf(
  own: readonly GameGenerator[],
  generators: GeneratorRegistry,
): readonly NamedGenerator[] {
  return own.filter(({ generator }) => generators.find(generator.id) === generator).map(gameGenerator);
}

/** Returns the item with a name. Any other name is wrong usage. */
export function itemNamed<Item extends { readonly name: string }>(
  items: readonly Item[],
  flag: string,
  name: string,
): Item {
  const found = items.find((item) => item.name === name);
  if (found !== undefined) return found;
  const hint = name.includes(":") ? "; --generators names the module that has it" : "";
  throw new UsageError(
    `${flag}: "${name}" is not one of ${items.map((item) => item.name).join(", ")}${hint}`,
  );
}

/** Runs the code of a generator that checks its parameters. What it throws is wrong usage. */
function settingParameters(words: readonly string[], work: () => GeneratorRef): GeneratorRef {
  try {
    return work();
  } catch (error) {
    if (error instanceof UsageError) throw error;
    const reason = isOrthantError(error) ? error.detail : error instanceof Error ? error.message : error;
    throw new UsageError(`--set ${words.join(" ")}: ${reason}`, { cause: error });
  }
}

/**
 * Returns a generator's parameters: its defaults, changed by words like `relief=32`. The default determines
 * the kind of value: a whole number, `true` or `false`, or a position. `none` removes an optional value.
 */
function withParameters<Parameters extends object>(
  defaults: Parameters,
  words: readonly string[],
): Parameters {
  const values: Record<string, unknown> = Object.fromEntries(Object.entries(defaults));
  for (const word of words) {
    const [name, text] = splitWord(word);
    if (!Object.hasOwn(defaults, name)) {
      const known = Object.keys(defaults).join(", ");
      throw new UsageError(`--set: there is no parameter "${name}"; there are ${known}`);
    }
    values[name] = parameterValue(name, text, values[name]);
  }
  return values as Parameters;
}

function splitWord(word: string): readonly [name: string, text: string] {
  const [name = "", text, ...rest] = word.split("=");
  if (text !== undefined && rest.length === 0 && name !== "") return [name, text];
  throw new UsageError(`--set: "${word}" is not of the form name=value`);
}

function parameterValue(name: string, text: string, before: unknown): unknown {
  if (Array.isArray(before)) return parsePosition(text);
  if (typeof before === "string") return text;
  if (typeof before === "boolean") {
    if (text === "true" || text === "false") return text === "true";
    throw new UsageError(`--set: ${name} is true or false, not "${text}"`);
  }
  if (text === "none" && name === "waterLevel") return undefined;
  if (typeof before === "number" && !Number.isInteger(before)) {
    if (NUMBER.test(text)) return Number(text);
    throw new UsageError(`--set: ${name} is a number, not "${text}"`);
  }
  if (!/^[-+]?\d{1,15}$/.test(text)) throw new UsageError(`--set: ${name} is a whole number, not "${text}"`);
  return Number(text);
}

const NUMBER = /^[-+]?\d{1,15}(?:\.\d{1,15})?$/;

/** Without defaults, the text determines the kind of value: a number, `true` or `false`, a list, or text. */
function guessedParameter(word: string): readonly [name: string, value: unknown] {
  const [name, text] = splitWord(word);
  if (NUMBER.test(text)) return [name, Number(text)];
  if (text === "true" || text === "false") return [name, text === "true"];
  const parts = text.split(",");
  return [name, parts.length > 1 && parts.every((part) => NUMBER.test(part)) ? parts.map(Number) : text];
}
