export { ByteReader, type ByteReaderOptions, type Dialect } from "./bytes/byte-reader.ts";
export { ByteWriter } from "./bytes/byte-writer.ts";
export { bytesEqual } from "./bytes/bytes-equal.ts";
export { type Codec, decode, decodeForeign, encode, type FixedCodec } from "./bytes/codec.ts";
export { bytes, list, option, repeated, string } from "./bytes/combinators.ts";
export { crc8 } from "./bytes/crc8.ts";
export { crc32, portableCrc32 } from "./bytes/crc32.ts";
export { deflateRaw, inflateRaw, streamDeflateRaw, streamInflateRaw } from "./bytes/deflate.ts";
export { hash64 } from "./bytes/hash64.ts";
export {
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
export { BLOCK_NAME_LENGTH_MAX, type Block, BlockCatalog } from "./chunk/block-catalog.ts";
export { blockCatalogCodec } from "./chunk/block-catalog-codec.ts";
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
export {
  applyChunkChange,
  checkChunkChange,
  encodeChunkChange,
  encodeShortChange,
} from "./chunk/chunk-change.ts";
export { checkChunk, chunkCodec } from "./chunk/chunk-codec.ts";
export { diffChunks } from "./chunk/chunk-diff.ts";
export { DEFAULT_BLOCKS } from "./chunk/default-blocks.ts";
export { foreignChunkCodec } from "./chunk/foreign-chunk-codec.ts";
export { checkPackedChunk, packedChunkCodec } from "./chunk/packed-chunk-codec.ts";
export { ERROR_CODES, type ErrorCode } from "./error/error-codes.ts";
export { type ErrorContext, isOrthantError, OrthantError } from "./error/orthant-error.ts";
export { wrongArgument } from "./error/wrong-argument.ts";
export { type FieldChangeOptions, regionAnew, regionChange } from "./field/field-changes.ts";
export {
  type CacheLimits,
  COLD_AFTER_USES,
  GeneratedChunkCache,
  RENDER_CACHE_LIMITS,
  SIMULATION_CACHE_LIMITS,
} from "./field/generated-chunk-cache.ts";
export {
  type EditOrigin,
  type FieldEdit,
  type QueryDetail,
  type VoxelPlacement,
  WorldField,
  type WorldFieldOptions,
} from "./field/world-field.ts";
export { DEFAULT_GENERATORS } from "./generate/default-generators.ts";
export { ChunkCanvas } from "./generate/draw/chunk-canvas.ts";
export { FLAT_DEFAULTS, type FlatParameters, flatGenerator } from "./generate/flat.ts";
export { DESCRIBE_STEPS_MAX, GeneratedSpace } from "./generate/generated-space.ts";
export { GeneratorRegistry } from "./generate/generator-registry.ts";
export { HashSequence, hashKey, hashPosition } from "./generate/hash/position-hash.ts";
export {
  MAZE_CELLS_MAX,
  MAZE_DEFAULTS,
  MAZE_STRIDE_VOXELS,
  type MazeParameters,
  mazeGenerator,
} from "./generate/maze/maze.ts";
export {
  PLATFORMS_DEFAULTS,
  type PlatformsParameters,
  platformsGenerator,
} from "./generate/platforms/platforms.ts";
export { terrainGenerator } from "./generate/terrain/terrain.ts";
export { TERRAIN_DEFAULTS, type TerrainParameters } from "./generate/terrain/terrain-parameters.ts";
export type { VoxelSource } from "./generate/voxel-source.ts";
export {
  generatorManifestHash,
  generatorRef,
  generatorVersionHash,
  parametersOf,
  type WorldGenerator,
} from "./generate/world-generator.ts";
export {
  type Box,
  boxAt,
  boxBetween,
  boxContains,
  boxContainsBox,
  boxEquals,
  boxExtents,
  boxesIntersect,
  boxVolume,
  clampInto,
  cubeAt,
  intersectBoxes,
  splitBox,
  subtractBox,
  unionBox,
  WHOLE_LATTICE,
} from "./lattice/box.ts";
export { boxCodec, positionCodec } from "./lattice/box-codec.ts";
export { positionsLexicographic, positionsMinorToMajor } from "./lattice/box-order.ts";
export {
  axisOutside,
  CHUNK_VOXELS_MAX,
  type ChunkShape,
  CUBE_CHUNKS,
  indexInChunk,
  chunkShape,
  HYPERCUBE_CHUNKS,
  PIXEL_CHUNKS,
  positionInChunk,
  TILE_CHUNKS,
} from "./lattice/chunk-shape.ts";
export { floorDivide, floorModulo } from "./lattice/floor-division.ts";
export {
  AXES,
  type Axis,
  comparePositions,
  type Position,
  positionFrom,
  positionsEqual,
  requireLatticePosition,
} from "./lattice/position.ts";
export { type PositionHashSecret, positionHashSecret } from "./lattice/position-hash.ts";
export { PositionMap } from "./lattice/position-map.ts";
export { PositionSet } from "./lattice/position-set.ts";
export {
  REGION_EDGE_CHUNKS,
  regionBox,
  regionOf,
  regionsTouching,
  roundOutToRegions,
} from "./lattice/region.ts";
export {
  voxelIndex,
  chunkCoordinate,
  chunkOfVoxel,
  chunksOfVoxels,
  voxelOfIndex,
  voxelsOfChunks,
} from "./lattice/voxel-chunks.ts";
export { type RandomBits, systemRandomBits } from "./random/random-bits.ts";
export { CHUNK_ARRAY_CELLS_MAX, ChunkArray, FOREIGN_CHUNK_ARRAY_CELLS_MAX } from "./region/chunk-array.ts";
export { chunkArrayCodec, foreignChunkArrayCodec } from "./region/chunk-array-codec.ts";
export { type ChunkEdits, voxelEditsCodec } from "./region/chunk-edits.ts";
export {
  FOREIGN_TREE_CELLS_MAX,
  FOREIGN_TREE_DEPTH_MAX,
  FOREIGN_TREE_NODES_MAX,
  foreignRegionTreeCodec,
} from "./region/foreign-region-tree-codec.ts";
export {
  GENERATOR_ID_BYTES_MAX,
  GENERATOR_PARAMETERS_BYTES_MAX,
  generatorRefCodec,
} from "./region/generator-ref-codec.ts";
export {
  foreignPagedSparseRleCodec,
  type PagedIndexShape,
  pagedSparseRleCodec,
} from "./region/paged-sparse-rle.ts";
export { boxesOfRegions } from "./region/region-boxes.ts";
export type { ChangeDetail, ChangeForm, RealizeChunk } from "./region/region-change-build.ts";
export {
  CLOCK_NEVER,
  CLOCK_STEPS_PER_EPOCH,
  clockOf,
  EPOCH_MAX,
  type Epoch,
  epochOf,
  nextClock,
  stepOf,
} from "./region/region-clock.ts";
export { type RegionClock, regionClockListCodec } from "./region/region-clock-list.ts";
export {
  type ClockStep,
  REGION_CLOCKS_MAX,
  RegionClocks,
  regionClocksCodec,
} from "./region/region-clocks.ts";
export {
  type ChangeBase,
  PATCH_BYTES_MAX,
  PATCH_PIECES_MAX,
  PATCH_REGIONS_MAX,
  type PatchLeaf,
  type RegionChange,
  type RegionPatch,
} from "./region/region-patch.ts";
export {
  buildPatch,
  buildRegionSnapshot,
  buildSnapshot,
  type PatchSource,
  type RegionSnapshotSource,
} from "./region/region-patch-build.ts";
export { PATCH_GENERATORS_MAX, patchBodyBytes, regionPatchCodec } from "./region/region-patch-codec.ts";
export { splitPatch } from "./region/region-patch-split.ts";
export { RegionReplica, type RegionReplicaOptions } from "./region/region-replica.ts";
export {
  RESYNC_REGIONS_MAX,
  type RegionResyncRequest,
  regionResyncRequestCodec,
} from "./region/region-resync.ts";
export { type BoundedTree, regionTreeCodec } from "./region/region-tree-codec.ts";
export { canonicalNodes, type EncodedNode, TREE_NODES_MAX } from "./region/region-tree-nodes.ts";
export { nameFault } from "./text/plain-name.ts";
export { printable } from "./text/printable.ts";
export { TILE_CHUNK_EDGE, TILES_PER_CHUNK, type TileChunk, tileChunkCodec } from "./tile/tile-chunk.ts";
export { type Clock, systemClock, type Timer } from "./time/clock.ts";
export { nextTurn } from "./time/next-turn.ts";
export { sleep } from "./time/sleep.ts";
export { TokenBucket } from "./time/token-bucket.ts";
export { ChunkTree } from "./tree/chunk-tree.ts";
export { type Content, contentEquals } from "./tree/content.ts";
export { GeneratorRef } from "./tree/generator-ref.ts";
export { OverrideTree } from "./tree/override-tree.ts";
export { RegionTree } from "./tree/region-tree.ts";
export type { Difference, Piece } from "./tree/tree-walk.ts";
