/**
 * Positions, boxes, chunks, blocks, generators and errors: everything without a platform.
 *
 * @module @orthant/core
 */

export { BlockCatalog, type BlockDescription, DEFAULT_BLOCKS } from "./chunk/block-catalog.ts";
export type { BlockProperties } from "./chunk/block-ids.ts";
export {
  BLOCK_LIGHT_MAX,
  BLOCK_NAME_LENGTH_MAX,
  type BlockProperty,
  type BlockType,
  type NewBlockType,
} from "./chunk/block-type.ts";
export {
  AIR,
  type Chunk,
  type ChunkForm,
  chunkFromVoxels,
  emptyChunk,
  isChunk,
  uniformChunk,
  type VoxelEdit,
} from "./chunk/chunk.ts";
export type {
  BlockDefinition,
  BlockDefinitions,
  BlockHandle,
  BlockHandles,
  PropertiesOf,
} from "./chunk/define-blocks.ts";
export {
  CHUNK_DATA_BYTES_MAX,
  VOXEL_DATA_BYTES_MAX,
  type VoxelData,
  type VoxelDataEdit,
  type VoxelDatum,
} from "./chunk/voxel-data.ts";
export { ERROR_CODES, type ErrorCode } from "./error/error-codes.ts";
export { type ErrorContext, isOrthantError, OrthantError } from "./error/orthant-error.ts";
export {
  DEFAULT_GENERATORS,
  type FlatFunction,
  flat,
  type GeneratorSource,
  generatorIn,
  generatorsOf,
  type MazeOptions,
  maze,
  platforms,
  terrain,
} from "./generate/default-generators.ts";
export {
  type BlockFunction,
  defineGenerator,
  type GeneratedVoxels,
  type GeneratorDefinition,
  type GeneratorOptions,
  type GeneratorWorld,
  type PlainParameters,
  type WidenedParameters,
} from "./generate/define-generator.ts";
export { FLAT_DEFAULTS, type FlatParameters, flatGenerator } from "./generate/flat.ts";
export type {
  GenerationJob,
  GenerationPool,
  PooledGenerator,
  PooledSpace,
} from "./generate/generation-pool.ts";
export { GeneratorRegistry } from "./generate/generator-registry.ts";
export { hashPosition } from "./generate/hash/position-hash.ts";
export { type Noise, type NoiseOptions, valueNoise } from "./generate/hash/value-noise.ts";
export { MAZE_DEFAULTS, type MazeParameters, mazeGenerator } from "./generate/maze/maze.ts";
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
export type { VoxelSource, WorldGenerator } from "./generate/world-generator.ts";
export { box, type ChunkBox, chunkBox, dimensionsOf, type VoxelBox } from "./lattice/axes.ts";
export type { Box } from "./lattice/box.ts";
export {
  CHUNK_VOXELS_MAX,
  type ChunkShape,
  CUBE_CHUNKS,
  chunkShape,
  HYPERCUBE_CHUNKS,
  PIXEL_CHUNKS,
  TILE_CHUNKS,
} from "./lattice/chunk-shape.ts";
export { AXIS_NAMES, type Axis, type Dimensions, type Position, type Vector } from "./lattice/position.ts";
export type { RandomBits } from "./lattice/position-map.ts";
export { type CacheLimits, RENDER_CACHE_LIMITS } from "./state/generated-chunk-cache.ts";
export type { EditOrigin, QueryDetail, VoxelPlacement } from "./state/world-state.ts";
export { systemTime, type Timer, type TimeSource } from "./time/time-source.ts";
export type { Content } from "./tree/content.ts";
export { type DataCodec, PLAIN_DATA } from "./world/data-codec.ts";
export type {
  BlockChange,
  BlockChanges,
  BlockPlacement,
  EditEvent,
  EditResult,
  Entity,
  EntityEvent,
  RejectionReason,
  SetOptions,
  VoxelWorld,
} from "./world/voxel-world.ts";
