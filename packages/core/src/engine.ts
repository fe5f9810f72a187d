/**
 * The parts that Orthant's own packages are built from, and that a hand-written `WorldGenerator` or a tool may use:
 * trees, regions, patches, boxes of four axes. They trust their arguments.
 *
 * @module @orthant/core/engine
 */

export { BitReader, BitWriter, RICE_VALUE_MAX, riceCost } from "./bytes/bits.ts";
export { requireBigint, requireInteger, unzigzag, zigzag } from "./bytes/integers.ts";
export { blockLabel } from "./chunk/block-catalog.ts";
export {
  applyBlockChange,
  type BlockCatalogChange,
  blockCatalogChangeCodec,
  diffBlockCatalogs,
} from "./chunk/block-catalog-change.ts";
export {
  BLOCK_CATALOG_BYTES_MAX,
  blockCatalogCodec,
  blockCatalogHash,
} from "./chunk/block-catalog-codec.ts";
export { idCountOf, requirePrintableTexts } from "./chunk/block-type.ts";
export { diffChunks, lazyChunk } from "./chunk/chunk.ts";
export { applyChunkChange, checkChunkChange, encodeShortChange } from "./chunk/chunk-change.ts";
export { checkChunk, chunkCodec } from "./chunk/chunk-codec.ts";
export { blockHandles, defineBlocks, renameBlock, retireBlock } from "./chunk/define-blocks.ts";
export { type BlockEdit, editBlocks, fillBlocks, type IsSameType, sameTypeIn } from "./chunk/edit-blocks.ts";
export { foreignChunkCodec } from "./chunk/foreign-chunk-codec.ts";
export { chunkFromHalfBytes } from "./chunk/half-byte-chunk.ts";
export {
  checkPackedChunk,
  encodePackedChunk,
  packedChunkBytes,
  packedChunkCodec,
  skipPackedChunk,
} from "./chunk/packed-chunk-codec.ts";
export { voxelsMemoryBytes } from "./chunk/palette-voxels.ts";
export { diffVoxelData, STORED_VOXEL_DATA_BYTES_MAX } from "./chunk/voxel-data.ts";
export { voxelDataCodec, voxelDataEditsCodec } from "./chunk/voxel-data-codec.ts";
export { wrongArgument } from "./error/orthant-error.ts";
export { ListenerSet } from "./event/listener-set.ts";
export { describedBoxCodec } from "./generate/described-box-codec.ts";
export { ChunkCanvas } from "./generate/draw/chunk-canvas.ts";
export { DESCRIBE_STEPS_MAX, GeneratedSpace } from "./generate/generated-space.ts";
export { HashSequence, hashKey } from "./generate/hash/position-hash.ts";
export { MAZE_CELLS_MAX } from "./generate/maze/maze.ts";
export { generatorRef, parametersOf } from "./generate/world-generator.ts";
export { Axes } from "./lattice/axes.ts";
export {
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
  subtractBox,
  unionBox,
  WHOLE_LATTICE,
} from "./lattice/box.ts";
export {
  axisOutside,
  chunkOfVoxel,
  chunksOfVoxels,
  clipToAxes,
  indexInChunk,
  pointOnAxes,
  voxelIndex,
  voxelOfIndex,
  voxelsOfChunks,
} from "./lattice/chunk-shape.ts";
export {
  AXES,
  comparePositions,
  floorDivide,
  floorModulo,
  positionFrom,
  positionsEqual,
  requireLatticePosition,
} from "./lattice/position.ts";
export { PositionMap, PositionSet, systemRandomBits } from "./lattice/position-map.ts";
export {
  chunksOfRegions,
  REGION_EDGE_CHUNKS,
  regionBox,
  regionOf,
  regionsTouching,
  roundOutToRegions,
} from "./lattice/region.ts";
export { encodeGeneratedRegion } from "./region/generated-region.ts";
export {
  generatorMapCodec,
  generatorMapHash,
  MAP_BOXES_MAX,
  MAP_GENERATORS_MAX,
  mapOfRegions,
  type NumberedRegions,
  numberedRegions,
  numberedRegionsCodec,
} from "./region/generator-map-codec.ts";
export { generatorRefCodec } from "./region/generator-ref-codec.ts";
export { boxesOfRegions } from "./region/region-cells.ts";
export {
  CLOCK_NEVER,
  changeNumberOf,
  clockFrom,
  EPOCH_MAX,
  type Epoch,
  epochOf,
  RESYNC_REGIONS_MAX,
  type RegionClock,
  regionClockListCodec,
} from "./region/region-clock.ts";
export { type ClockChange, RegionClocks } from "./region/region-clocks.ts";
export {
  type ChangeBase,
  type ChunkDataEdits,
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
export { changeBodies, splitPatch } from "./region/region-patch-split.ts";
export { RegionReplica, type RegionReplicaOptions } from "./region/region-replica.ts";
export { GeneratedChunkCache } from "./state/generated-chunk-cache.ts";
export { type RegionChangeOptions, regionChange, wholeRegionChange } from "./state/region-change.ts";
export { type StateEdit, WorldState, type WorldStateOptions } from "./state/world-state.ts";
export { nameFault, printable, printableName } from "./text/printable.ts";
export { TILE_CHUNK_EDGE, TILES_PER_CHUNK, type TileChunk, tileChunkCodec } from "./tile/tile-chunk.ts";
export { nextTurn, sleep, TokenBucket } from "./time/time-source.ts";
export { contentEquals, GeneratorRef } from "./tree/content.ts";
export { GeneratorMap, type KeptRegions } from "./tree/generator-map.ts";
export { OverrideTree } from "./tree/override-tree.ts";
export { RegionTree } from "./tree/region-tree.ts";
export type { Difference, Piece } from "./tree/tree-walk.ts";
export {
  checkedOptions,
  checkedSetOptions,
  convertList,
  isListOf,
  type OptionRules,
  requireAtMost,
  requireBlock,
  requireBytes,
  requireChoice,
  requireFlag,
  requireFunction,
  requireId,
  requireKnownFields,
  requireList,
  requireObject,
  requirePrintableName,
  requireText,
  requireTime,
  requireWhole,
  voxelPlacement,
  voxelPlacements,
} from "./world/arguments.ts";
export { ChunksEdit, LazyChanges, publicDataChange } from "./world/chunks-edit.ts";
export { decodeData, encodeData, encodeSetData, requireDataCodec } from "./world/data-codec.ts";
export { dataText } from "./world/data-text.ts";
export { decodePlainValue, encodePlainValue, PLAIN_VALUE_HEAD_BYTES } from "./world/plain-value.ts";
