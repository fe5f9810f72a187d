/**
 * Chunks and catalogs of blocks: their limits, codecs and differences. It trusts its arguments.
 *
 * @module @orthant/core/chunk
 */

export { blockLabel } from "./chunk/block-catalog.ts";
export {
  applyBlockChange,
  type BlockCatalogChange,
  blockCatalogChangeCodec,
  blockRedefinitionCodec,
  diffBlockCatalogs,
  isPlainBlockChange,
} from "./chunk/block-catalog-change.ts";
export {
  BLOCK_CATALOG_BYTES_MAX,
  blockCatalogCodec,
  blockCatalogHash,
  plainBlockCatalog,
  unshapedBlockCatalog,
} from "./chunk/block-catalog-codec.ts";
export type { BlockBox, BlockShape, BlockShapePart } from "./chunk/block-shape.ts";
export {
  BLOCK_LIGHT_MAX,
  BLOCK_NAME_LENGTH_MAX,
  idCountOf,
  type NewBlockType,
  requirePrintableTexts,
} from "./chunk/block-type.ts";
export { type ChunkForm, diffChunks, isChunk, lazyChunk, type VoxelEdit } from "./chunk/chunk.ts";
export { applyChunkChange, checkChunkChange, encodeShortChange } from "./chunk/chunk-change.ts";
export { checkChunk, chunkCodec } from "./chunk/chunk-codec.ts";
export { ChunkEditor } from "./chunk/chunk-editor.ts";
export {
  blockHandles,
  changeBlock,
  defineBlocks,
  definitionOf,
  type PropertiesOf,
  renameBlock,
  retireBlock,
} from "./chunk/define-blocks.ts";
export { type BlockEdit, editBlocks, fillBlocks, type IsSameType, sameTypeIn } from "./chunk/edit-blocks.ts";
export { foreignChunkCodec } from "./chunk/foreign-chunk-codec.ts";
export { chunkFromHalfBytes } from "./chunk/half-byte-chunk.ts";
export { nearNames } from "./chunk/nearest-names.ts";
export {
  checkPackedChunk,
  encodePackedChunk,
  packedChunkBytes,
  packedChunkCodec,
  skipPackedChunk,
} from "./chunk/packed-chunk-codec.ts";
export { voxelsMemoryBytes } from "./chunk/palette-voxels.ts";
export {
  CHUNK_DATA_BYTES_MAX,
  diffVoxelData,
  STORED_VOXEL_DATA_BYTES_MAX,
  VOXEL_DATA_BYTES_MAX,
  type VoxelData,
  type VoxelDataEdit,
  type VoxelDatum,
} from "./chunk/voxel-data.ts";
export { voxelDataCodec, voxelDataEditsCodec } from "./chunk/voxel-data-codec.ts";
export { TILE_CHUNK_EDGE, TILES_PER_CHUNK, type TileChunk, tileChunkCodec } from "./tile/tile-chunk.ts";
