import { requireObject } from "../arguments/checks.ts";
import { OrthantError } from "../error/orthant-error.ts";
import type { Dimensions } from "../lattice/position.ts";
import { GeneratorRef } from "../tree/content.ts";
import { generatorRef, type WorldGenerator } from "./world-generator.ts";

/** A generator with the parameters and the seed of one world: the `generator` of a new world. */
export interface SeededGenerator {
  readonly ref: GeneratorRef;
  readonly generator: WorldGenerator;
}

/** Whether a value is a generator with a seed. */
export function isSeededGenerator(value: unknown): value is SeededGenerator {
  if (typeof value !== "object" || value === null) return false;
  const { ref, generator } = value as Partial<SeededGenerator>;
  return ref instanceof GeneratorRef && typeof generator?.open === "function";
}

/** The seed of a world. */
export interface SeedOptions {
  /** Another seed gives another world. From 0n to 2^64 - 1. */
  readonly seed: bigint;
}

/** A function that gives a generator a seed, and parameters where they differ from the defaults. */
export interface SeedableGenerator<Options extends object> {
  (options: Options): SeededGenerator;
  /** The generator itself, for the `GeneratorRegistry` of a program that opens such worlds. */
  readonly generator: WorldGenerator;
  /** Its parameters and their default values. */
  readonly defaults: object;
  /** The number of axes of its worlds, if it generates no others. */
  readonly dimensions?: Dimensions;
}

/** Returns the function that gives a generator a seed and parameters. */
export function seedable<Parameters extends object>(
  generator: WorldGenerator<Parameters>,
  defaults: Parameters,
  dimensions?: Dimensions,
): SeedableGenerator<SeedOptions & Partial<Parameters>> {
  const create = (options: SeedOptions & Partial<Parameters>): SeededGenerator => {
    requireObject("options", options, "it is an object with a seed, such as { seed: 7n }");
    const { seed, ...parameters } = options;
    for (const name of Object.keys(parameters)) requireKnown(generator.id, name, defaults);
    return { ref: generatorRef(generator, { ...defaults, ...parameters }, seed), generator };
  };
  return Object.assign(create, { generator, defaults, ...(dimensions && { dimensions }) });
}

function requireKnown(id: string, name: string, defaults: object): void {
  if (Object.hasOwn(defaults, name)) return;
  const known = ["seed", ...Object.keys(defaults)].join(", ");
  throw new OrthantError("ORT_ARGUMENT", `"${id}" has no parameter ${JSON.stringify(name)}; it has ${known}`);
}
