export { type PixelDialect, pixelDialectOf } from "./dialect.ts";
export {
  bodyHeader as pixelBodyHeader,
  bodyIndexEntry as pixelBodyIndexEntry,
  browserHeader as pixelBrowserHeader,
  entryHeader as pixelEntryHeader,
  nativeHeader as pixelNativeHeader,
  pageEntry as pixelPageEntry,
  slotHeader as pixelSlotHeader,
  tableBody as pixelTableBody,
  tableChunk as pixelTableChunk,
} from "./layout.ts";
export {
  AUTOSAVE_MS as PIXEL_AUTOSAVE_MS,
  CHUNK_EDGE,
  PENDING_MAX as PIXEL_PENDING_MAX,
  PIXEL_BYTES,
  TILE_EDGE,
} from "./limits.ts";
export type { PixelDamage } from "./live/damage-log.ts";
export { PixelSaveHandle } from "./live/save-handle.ts";
export { lz4Compress } from "./lz4/compress.ts";
export { lz4Decompress } from "./lz4/decompress.ts";
export { createPixelWorld, type NewPixelWorld, openPixelWorld } from "./open-pixel-world.ts";
export { type PixelChunkState, PixelWorld } from "./pixel-world.ts";
export type { PixelConstants, PixelDamageMode, PixelWorldOptions } from "./pixel-world-options.ts";
export type { PixelDelta } from "./pixels/pixel-delta.ts";
export { DEFAULT_LAYERS, type PixelLayer, VERSION1_LAYERS } from "./pixels/pixel-layers.ts";
export {
  type ChunkForm,
  type PixelGenerator,
  type PixelStorage,
  pixelsOf,
  type StoredPixelChunk,
} from "./pixels/stored-chunk.ts";
export { detectPixelWorld, openPixelSave } from "./reader.ts";
export {
  decodeBody as decodePixelBody,
  encodeBody as encodePixelBody,
  isEmptyBody,
  type PixelBody,
  packMask,
} from "./records/pixel-body.ts";
export { applyPixelRepair, type PixelRepairPlan, planPixelRepair } from "./repair.ts";
export type { PixelBodyRef, PixelChunkRef, PixelFacts, PixelSave } from "./save.ts";
export { type VerifyPixelOptions, verifyPixelWorld } from "./verify.ts";
export { decodeChunk as decodePixelChunkVersion1, type Strictness } from "./version1/chunk-payload.ts";
export { type Version1Facts, Version1Writer } from "./version1/version1-writer.ts";
export { BodyIndex as PixelBodyIndex } from "./version2/body-index.ts";
export { ChunkIndex as PixelChunkIndex } from "./version2/chunk-index.ts";
export {
  decodeChunk as decodePixelChunk,
  type EncodedChunk as EncodedPixelChunk,
  encodeChunk as encodePixelChunk,
} from "./version2/chunk-payload.ts";
export {
  decodeSlot as decodePixelHeader,
  encodeSlot as encodePixelHeader,
  factsCodec as pixelFactsCodec,
} from "./version2/header-slot.ts";
export {
  applyTable as applyPixelTable,
  encodeTable as encodePixelTable,
  wholeTable as wholePixelTable,
} from "./version2/table.ts";
export { PixelSaveWriter, type PixelSaveWriterOptions } from "./writer.ts";
