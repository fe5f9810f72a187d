import { requireList } from "../arguments/checks.ts";
import { wrongArgument } from "../error/orthant-error.ts";
import { type Position, positionFrom } from "../lattice/position.ts";
import { FLAT_DEFAULTS, type FlatParameters, flatGenerator } from "./flat.ts";
import { GeneratorRegistry } from "./generator-registry.ts";
import { MAZE_DEFAULTS, mazeGenerator } from "./maze/maze.ts";
import { PLATFORMS_DEFAULTS, type PlatformsParameters, platformsGenerator } from "./platforms/platforms.ts";
import {
  type SeedableGenerator,
  type SeededGenerator,
  type SeedOptions,
  seedable,
} from "./seeded-generator.ts";
import { terrainGenerator } from "./terrain/terrain.ts";
import { TERRAIN_DEFAULTS, type TerrainParameters } from "./terrain/terrain-parameters.ts";
import type { WorldGenerator } from "./world-generator.ts";

/** The generators that come with Orthant. */
export const DEFAULT_GENERATORS: GeneratorRegistry = new GeneratorRegistry([
  flatGenerator,
  platformsGenerator,
  terrainGenerator,
  mazeGenerator,
]);

/**
 * Hills with lakes, forests, caves and ores, for two or three dimensions.
 *
 * @example
 * const world = await openOrCreateWorld("saves/valley", { dimensions: 3, generator: terrain({ seed: 7n }) });
 */
export const terrain: SeedableGenerator<SeedOptions & Partial<TerrainParameters>> = seedable(
  terrainGenerator,
  TERRAIN_DEFAULTS,
);

/**
 * Platforms with groves, towers and walls that float in endless space, for three or four dimensions.
 *
 * @example
 * const generator = platforms({ seed: 7n, structurePercent: 50 });
 */
export const platforms: SeedableGenerator<SeedOptions & Partial<PlatformsParameters>> = seedable(
  platformsGenerator,
  PLATFORMS_DEFAULTS,
);

/** A function that gives the flat generator its parameters. It needs no seed: the floor is the same everywhere. */
export interface FlatFunction {
  (options?: Partial<FlatParameters>): SeededGenerator;
  /** The generator itself, for the `GeneratorRegistry` of a program that opens such worlds. */
  readonly generator: WorldGenerator;
}

const seededFlat = seedable(flatGenerator, FLAT_DEFAULTS);

/**
 * An endless floor, by default two voxels of grass below height 0, for any number of dimensions.
 *
 * @example
 * const generator = flat({ top: 64, thickness: 8 });
 */
export const flat: FlatFunction = Object.assign(
  (options: Partial<FlatParameters> = {}): SeededGenerator =>
    seededFlat(isFields(options) ? { seed: 0n, ...options } : (options as never)),
  { generator: flatGenerator },
);

/** Options of {@link maze}: positions may have as many numbers as the world has dimensions. */
export interface MazeOptions extends SeedOptions {
  /** Its lowest corner, in voxels. */
  readonly origin?: readonly number[];
  /** Rooms on each axis; those along y are its levels. */
  readonly cells?: readonly number[];
  /** Percentage of dead ends that are opened. */
  readonly braidPercent?: number;
}

const seededMaze = seedable(mazeGenerator, MAZE_DEFAULTS);

/**
 * A finite maze of rooms on several levels, for any number of dimensions.
 *
 * @example
 * const generator = maze({ seed: 7n, cells: [20, 3, 20] });
 */
export const maze: SeedableGenerator<MazeOptions> = Object.assign(
  (options: MazeOptions): SeededGenerator => {
    // It refuses what is not an object of fields.
    if (!isFields(options)) return seededMaze(options as never);
    const { origin, cells, ...others } = options;
    return seededMaze({
      ...others,
      ...(origin !== undefined && { origin: padded("origin", origin, MAZE_DEFAULTS.origin) }),
      ...(cells !== undefined && { cells: padded("cells", cells, MAZE_DEFAULTS.cells) }),
    });
  },
  { generator: mazeGenerator, defaults: MAZE_DEFAULTS },
);

/** Whether a value is an object of fields, and no list. */
function isFields(value: unknown): boolean {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !ArrayBuffer.isView(value);
}

/** Returns four numbers, the missing ones from the defaults. */
function padded(name: string, given: readonly number[], defaults: Position): Position {
  if (!Array.isArray(given) || given.length < 2 || given.length > 4) {
    throw wrongArgument(name, given, "it is a list of two to four whole numbers, one for each axis");
  }
  const position = positionFrom((axis) => (axis < given.length ? given[axis] : defaults[axis]) as number);
  if (position.every(Number.isSafeInteger)) return position;
  throw wrongArgument(name, given, "it is a list of two to four whole numbers, one for each axis");
}

/** A generator, or what `defineGenerator` returns. */
export type GeneratorSource = WorldGenerator | { readonly generator: WorldGenerator };

/**
 * Returns the generators of a program: a registry as it is, or those that come with Orthant and the listed ones.
 * Throws `ORT_ARGUMENT` for anything else.
 */
export function generatorsOf(
  generators: GeneratorRegistry | readonly GeneratorSource[] = DEFAULT_GENERATORS,
): GeneratorRegistry {
  if (generators instanceof GeneratorRegistry) return generators;
  const advice = "it is a list of generators, such as [hills], or a GeneratorRegistry";
  requireList("generators", generators, advice);
  let registry = DEFAULT_GENERATORS;
  // A loop by index also visits holes.
  for (let index = 0; index < generators.length; index++) {
    const source: unknown = generators[index];
    const generator = generatorIn(source);
    if (generator === undefined) throw wrongArgument(`generators[${index}]`, source, advice);
    registry = registry.including(generator);
  }
  return registry;
}

/** Returns the generator that a value is or has as `generator`; `undefined` for anything else. */
export function generatorIn(value: unknown): WorldGenerator | undefined {
  if (!isObject(value)) return undefined;
  if (isGenerator(value)) return value;
  const inner = (value as { readonly generator?: unknown }).generator;
  return isObject(inner) && isGenerator(inner) ? inner : undefined;
}

function isGenerator(value: object): value is WorldGenerator {
  const { id, version, parametersVersion, parametersCodec, open } = value as Partial<WorldGenerator>;
  return (
    typeof id === "string" &&
    Number.isInteger(version) &&
    Number.isInteger(parametersVersion) &&
    typeof parametersCodec?.read === "function" &&
    typeof parametersCodec.write === "function" &&
    typeof open === "function"
  );
}

function isObject(value: unknown): value is object {
  return (typeof value === "object" && value !== null) || typeof value === "function";
}
