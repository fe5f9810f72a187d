/**
 * Generators: their parameters, registries and pools, and the parts that a hand-written `WorldGenerator` may use.
 *
 * @module @orthant/core/generate
 */

export {
  DEFAULT_GENERATORS,
  type FlatFunction,
  type GeneratorSource,
  generatorIn,
  generatorsOf,
  type MazeOptions,
} from "./generate/default-generators.ts";
export type {
  BlockFunction,
  GeneratedVoxels,
  GeneratorDefinition,
  GeneratorOptions,
  GeneratorWorld,
  PlainParameters,
  WidenedParameters,
} from "./generate/define-generator.ts";
export { describedBoxCodec } from "./generate/described-box-codec.ts";
export { ChunkCanvas } from "./generate/draw/chunk-canvas.ts";
export { FLAT_DEFAULTS, type FlatParameters, flatGenerator } from "./generate/flat.ts";
export { DESCRIBE_STEPS_MAX, GeneratedSpace } from "./generate/generated-space.ts";
export type {
  GenerationJob,
  GenerationPool,
  PooledGenerator,
  PooledSpace,
} from "./generate/generation-pool.ts";
export { firstBlocks, type GeneratorBlocks, withBlockIds } from "./generate/generator-blocks.ts";
export { requireRegistry } from "./generate/generator-registry.ts";
export { HashSequence, hashKey } from "./generate/hash/position-hash.ts";
export type { Noise, NoiseOptions } from "./generate/hash/value-noise.ts";
export { MAZE_CELLS_MAX, MAZE_DEFAULTS, type MazeParameters, mazeGenerator } from "./generate/maze/maze.ts";
export {
  PLATFORMS_DEFAULTS,
  type PlatformsParameters,
  platformsGenerator,
} from "./generate/platforms/platforms.ts";
export {
  isSeededGenerator,
  type SeedableGenerator,
  type SeededGenerator,
  type SeedOptions,
} from "./generate/seeded-generator.ts";
export { terrainGenerator } from "./generate/terrain/terrain.ts";
export { TERRAIN_DEFAULTS, type TerrainParameters } from "./generate/terrain/terrain-parameters.ts";
export { generatorRef, parametersOf, type VoxelSource } from "./generate/world-generator.ts";
export { GeneratorRef } from "./tree/content.ts";
