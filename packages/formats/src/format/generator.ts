import {
  FLAT_DEFAULTS,
  flatGenerator,
  GeneratorRef,
  generatorRef,
  isOrthantError,
  mazeGenerator,
  parametersOf,
  platformsGenerator,
  terrainGenerator,
  type WorldGenerator,
} from "@orthant/core";
import type { GlobalState } from "@orthant/save";

/** The generator of a world, as far as it is known here. */
export interface GeneratorInfo {
  /** `null` is nothing but air. */
  readonly id: string | null;
  readonly seed: bigint;
  /** `null` when the generator, or its version, is unknown here. */
  readonly parameters: object | null;
}

const KNOWN: readonly WorldGenerator<object>[] = [
  flatGenerator,
  mazeGenerator,
  platformsGenerator,
  terrainGenerator,
] as readonly WorldGenerator<object>[];

/** Returns the generator of a world; a world without a usable generator is air. */
export function generatorInfo({ base, generators, worldSeed }: GlobalState): GeneratorInfo {
  if (base.kind === "empty") return { id: null, seed: worldSeed, parameters: null };
  if (base.kind === "flatFloor") {
    return generatorInfoOf(generatorRef(flatGenerator, { ...FLAT_DEFAULTS, block: base.block }, worldSeed));
  }
  const [first] = generators;
  if (first === undefined) return { id: null, seed: worldSeed, parameters: null };
  return generatorInfoOf(new GeneratorRef(first.generatorId, first.params, first.seed, first.versionHash));
}

/** Describes a generator reference. */
export function generatorInfoOf(ref: GeneratorRef): GeneratorInfo {
  const { generatorId: id, seed } = ref;
  const generator = KNOWN.find((known) => known.id === id);
  return { id, seed, parameters: generator === undefined ? null : readParameters(generator, ref) };
}

/** Formats a generator for people: `terrain, seed 7, relief 64`. */
export function describeGenerator({ id, seed, parameters }: GeneratorInfo): string {
  if (id === null) return "none: air";
  const shown = Object.entries(parameters ?? {}).map(([name, value]) => `${name} ${valueText(value)}`);
  const unknown = parameters === null ? ["unknown here"] : [];
  return [id, `seed ${seed}`, ...shown, ...unknown].join(", ");
}

/** Parameters of another version cannot be read; the rest is still shown. */
function readParameters(generator: WorldGenerator<object>, ref: GeneratorRef): object | null {
  try {
    return parametersOf(generator, ref);
  } catch (error) {
    if (isOrthantError(error)) return null;
    throw error;
  }
}

function valueText(value: unknown): string {
  return Array.isArray(value) ? `[${value.join(", ")}]` : String(value ?? "none");
}
