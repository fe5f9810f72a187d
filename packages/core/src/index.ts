/**
 * Positions, chunks, trees, generators, codecs: everything without a platform.
 *
 * @module @orthant/core
 */

export { ByteReader, type ByteReaderOptions, type Dialect } from "./bytes/byte-reader.ts";
export { ByteWriter } from "./bytes/byte-writer.ts";
export { type Codec, decode, decodeForeign, encode, type FixedCodec } from "./bytes/codec.ts";
export { bytes, list, option, repeated, string } from "./bytes/combinators.ts";
export { crc8 } from "./bytes/crc8.ts";
export { crc32 } from "./bytes/crc32.ts";
export { deflateRaw, inflateRaw } from "./bytes/deflate.ts";
export { hash64 } from "./bytes/hash64.ts";
export {
  bytesEqual,
  I32_MAX,
  I32_MIN,
  I64_MAX,
  I64_MIN,
  requireBigint,
  requireInteger,
  U8_MAX,
  U16_MAX,
  U32_MAX,
  U64_MAX,
} from "./bytes/integers.ts";
export {
  bool,
  f32,
  f64,
  i8,
  i32,
  u8,
  u16,
  u32,
  u64,
  u64Number,
  varI16,
  varI32,
  varI64,
  varInt,
  varU16,
  varU32,
  varU64,
  varUint,
} from "./bytes/primitives.ts";
export { magic, type Struct, type StructValue, struct } from "./bytes/struct.ts";
export { decodeUtf8, encodeUtf8 } from "./bytes/utf8.ts";
export {
  BLOCK_NAME_LENGTH_MAX,
  type Block,
  BlockCatalog,
  blockCatalogCodec,
  DEFAULT_BLOCKS,
} from "./chunk/block-catalog.ts";
export {
  AIR,
  type Chunk,
  type ChunkForm,
  chunkFromVoxels,
  diffChunks,
  emptyChunk,
  isChunk,
  uniformChunk,
  type VoxelEdit,
} from "./chunk/chunk.ts";
export { applyChunkChange, checkChunkChange, encodeShortChange } from "./chunk/chunk-change.ts";
export { checkChunk, chunkCodec } from "./chunk/chunk-codec.ts";
export { foreignChunkCodec } from "./chunk/foreign-chunk-codec.ts";
export { checkPackedChunk, packedChunkCodec } from "./chunk/packed-chunk-codec.ts";
export { ERROR_CODES, type ErrorCode } from "./error/error-codes.ts";
export { type ErrorContext, isOrthantError, OrthantError, wrongArgument } from "./error/orthant-error.ts";
export { ListenerSet } from "./event/listener-set.ts";
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
export { GeneratorRegistry } from "./generate/generator-registry.ts";
export { HashSequence, hashKey, hashPosition } from "./generate/hash/position-hash.ts";
export { type Noise, type NoiseOptions, valueNoise } from "./generate/hash/value-noise.ts";
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
export {
  generatorRef,
  parametersOf,
  type VoxelSource,
  type WorldGenerator,
} from "./generate/world-generator.ts";
export { Axes, box, type ChunkBox, chunkBox, dimensionsOf, type VoxelBox } from "./lattice/axes.ts";
export {
  type Box,
  boxAt,
  boxBetween,
  boxCodec,
  boxContains,
  boxContainsBox,
  boxEquals,
  boxExtents,
  boxesIntersect,
  boxVolume,
  clampInto,
  cubeAt,
  intersectBoxes,
  positionCodec,
  positionsLexicographic,
  positionsMinorToMajor,
  unionBox,
  WHOLE_LATTICE,
} from "./lattice/box.ts";
export {
  axisOutside,
  CHUNK_VOXELS_MAX,
  type ChunkShape,
  CUBE_CHUNKS,
  chunkOfVoxel,
  chunkShape,
  chunksOfVoxels,
  clipToAxes,
  HYPERCUBE_CHUNKS,
  indexInChunk,
  PIXEL_CHUNKS,
  pointOnAxes,
  TILE_CHUNKS,
  voxelIndex,
  voxelsOfChunks,
} from "./lattice/chunk-shape.ts";
export {
  AXES,
  AXIS_NAMES,
  type Axis,
  comparePositions,
  type Dimensions,
  floorDivide,
  floorModulo,
  type Position,
  positionFrom,
  positionsEqual,
  requireLatticePosition,
  type Vector,
} from "./lattice/position.ts";
export { PositionMap, PositionSet, type RandomBits, systemRandomBits } from "./lattice/position-map.ts";
export {
  REGION_EDGE_CHUNKS,
  regionBox,
  regionOf,
  regionsTouching,
  roundOutToRegions,
} from "./lattice/region.ts";
export { encodeGeneratedRegion } from "./region/generated-region.ts";
export { generatorRefCodec } from "./region/generator-ref-codec.ts";
export { boxesOfRegions } from "./region/region-cells.ts";
export {
  CLOCK_NEVER,
  clockFrom,
  EPOCH_MAX,
  type Epoch,
  epochOf,
  RESYNC_REGIONS_MAX,
  type RegionClock,
  regionClockListCodec,
  stepOf,
} from "./region/region-clock.ts";
export { type ClockStep, RegionClocks } from "./region/region-clocks.ts";
export {
  type ChangeBase,
  type ChunkEdits,
  PATCH_BYTES_MAX,
  PATCH_REGIONS_MAX,
  type PatchLeaf,
  type RegionChange,
  type RegionPatch,
  voxelEditsCodec,
} from "./region/region-patch.ts";
export {
  buildRegionSnapshot,
  buildSnapshot,
  type ChangeDetail,
  type ChangeForm,
  type RegionSnapshotSource,
} from "./region/region-patch-build.ts";
export { patchBodyBytes, regionPatchCodec } from "./region/region-patch-codec.ts";
export { splitPatch } from "./region/region-patch-split.ts";
export { RegionReplica, type RegionReplicaOptions } from "./region/region-replica.ts";
export { type CacheLimits, GeneratedChunkCache, RENDER_CACHE_LIMITS } from "./state/generated-chunk-cache.ts";
export { type RegionChangeOptions, regionChange, wholeRegionChange } from "./state/region-change.ts";
export {
  type EditOrigin,
  type QueryDetail,
  type StateEdit,
  type VoxelPlacement,
  WorldState,
  type WorldStateOptions,
} from "./state/world-state.ts";
export { nameFault, printable } from "./text/printable.ts";
export { TILE_CHUNK_EDGE, TILES_PER_CHUNK, type TileChunk, tileChunkCodec } from "./tile/tile-chunk.ts";
export { nextTurn, sleep, systemTime, type Timer, type TimeSource, TokenBucket } from "./time/time-source.ts";
export { type Content, contentEquals, GeneratorRef } from "./tree/content.ts";
export { OverrideTree } from "./tree/override-tree.ts";
export { RegionTree } from "./tree/region-tree.ts";
export type { Difference, Piece } from "./tree/tree-walk.ts";
export {
  convertList,
  type OptionRules,
  ownOptions,
  requireBlock,
  requireBytes,
  requireChoice,
  requireFlag,
  requireFunction,
  requireId,
  requireKnownFields,
  requireList,
  requireObject,
  requireText,
  requireTime,
  requireWhole,
  voxelPlacements,
} from "./world/arguments.ts";
export { ChunksEdit } from "./world/chunks-edit.ts";
export type {
  BlockChange,
  BlockPlacement,
  EditEvent,
  EditResult,
  Entity,
  EntityEvent,
  RejectionReason,
  VoxelWorld,
} from "./world/voxel-world.ts";
