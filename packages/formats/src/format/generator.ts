import { type GeneratorRegistry, isOrthantError, type WorldGenerator } from "@orthant/core";
import {
  DEFAULT_GENERATORS,
  FLAT_DEFAULTS,
  flatGenerator,
  GeneratorRef,
  generatorRef,
  parametersOf,
} from "@orthant/core/generate";
import type { GlobalState } from "@orthant/save";

/** The generator of a world, as far as it is known here. */
export interface GeneratorInfo {
  /** `null` is nothing but air. */
  readonly id: string | null;
  readonly seed: bigint;
  /** `null` when the generator, or this version of it, is unknown here. */
  readonly version: number | null;
  /** `null` when the generator, or this version of it, is unknown here. */
  readonly parameters: object | null;
}

/** Returns the generator of a world; a world without a usable generator is air. */
export function generatorInfo(
  { base, generators, worldSeed }: GlobalState,
  known: GeneratorRegistry = DEFAULT_GENERATORS,
): GeneratorInfo {
  if (base.kind === "empty") return airInfo(worldSeed);
  if (base.kind === "flatFloor") {
    return generatorInfoOf(generatorRef(flatGenerator, { ...FLAT_DEFAULTS, block: base.block }, worldSeed));
  }
  const [first] = generators;
  if (first === undefined) return airInfo(worldSeed);
  const { generatorId, params, seed, versionHash } = first;
  return generatorInfoOf(new GeneratorRef(generatorId, params, seed, versionHash), known);
}

/** Describes a generator reference, with its parameters if `known` has the generator. */
export function generatorInfoOf(
  ref: GeneratorRef,
  known: GeneratorRegistry = DEFAULT_GENERATORS,
): GeneratorInfo {
  const { generatorId: id, seed } = ref;
  const exact = known.generatorOf(ref);
  const generator = exact ?? known.find(id);
  const parameters = generator === undefined ? null : readParameters(generator, ref);
  return { id, seed, version: exact?.version ?? null, parameters };
}

function airInfo(seed: bigint): GeneratorInfo {
  return { id: null, seed, version: null, parameters: null };
}

/** Formats a generator for people: `terrain, seed 7, relief 64`. */
export function describeGenerator({ id, seed, parameters }: GeneratorInfo): string {
  if (id === null) return "none: air";
  const shown = Object.entries(parameters ?? {}).map(([name, value]) => `${name} ${valueText(value)}`);
  const unknown = parameters === null ? ["unknown here"] : [];
  return [id, `seed ${seed}`, ...shown, ...unknown].join(", ");
}

/** Parameters of another version cannot be read; the rest is still shown. */
function readParameters(generator: WorldGenerator<unknown>, ref: GeneratorRef): object | null {
  try {
    const parameters = parametersOf(generator, ref);
    return typeof parameters === "object" ? parameters : { value: parameters };
  } catch (error) {
    if (isOrthantError(error)) return null;
    throw error;
  }
}

function valueText(value: unknown): string {
  return Array.isArray(value) ? `[${value.join(", ")}]` : String(value ?? "none");
}
