/**
 * What games and all packages share: positions, boxes, chunks, blocks, generators, errors and time, without a platform.
 *
 * @module @orthant/core
 */

export { BlockCatalog, type BlockDescription, DEFAULT_BLOCKS } from "./chunk/block-catalog.ts";
export type { BlockProperties } from "./chunk/block-ids.ts";
export type { BlockProperty, BlockType } from "./chunk/block-type.ts";
export { AIR, type Chunk, chunkFromVoxels, emptyChunk, uniformChunk } from "./chunk/chunk.ts";
export type {
  BlockDefinition,
  BlockDefinitions,
  BlockHandle,
  BlockHandles,
  BlockTypeChanges,
  DefineBlocksOptions,
} from "./chunk/define-blocks.ts";
export { ERROR_CODES, type ErrorCode } from "./error/error-codes.ts";
export { type ErrorContext, isOrthantError, OrthantError } from "./error/orthant-error.ts";
export { flat, maze, platforms, terrain } from "./generate/default-generators.ts";
export { defineGenerator } from "./generate/define-generator.ts";
export { GeneratorRegistry } from "./generate/generator-registry.ts";
export { hashPosition } from "./generate/hash/position-hash.ts";
export { valueNoise } from "./generate/hash/value-noise.ts";
export type { WorldGenerator } from "./generate/world-generator.ts";
export { box, type ChunkBox, chunkBox, dimensionsOf, type VoxelBox } from "./lattice/axes.ts";
export type { Box } from "./lattice/box.ts";
export {
  type ChunkShape,
  CUBE_CHUNKS,
  chunkShape,
  HYPERCUBE_CHUNKS,
  PIXEL_CHUNKS,
  TILE_CHUNKS,
} from "./lattice/chunk-shape.ts";
export type { Axis, Dimensions, Position, Vector } from "./lattice/position.ts";
export type { Light } from "./light/light-rules.ts";
export { systemTime, type Timer, type TimeSource } from "./time/time-source.ts";
export type { DataCodec } from "./world/data-codec.ts";
export type {
  BlockChange,
  BlockChanges,
  BlockPlacement,
  EditEvent,
  EditResult,
  Entity,
  EntityEvent,
  VoxelWorld,
} from "./world/voxel-world.ts";
