/**
 * A world of pixels in one file.
 *
 * @module @orthant/pixel-world
 */

export {
  decodeBody as decodePixelBody,
  encodeBody as encodePixelBody,
  type PixelBody,
  packMask,
} from "./format/body.ts";
export { CHUNK_EDGE, PIXEL_BYTES, PIXEL_TILE_EDGE } from "./format/limits.ts";
export {
  DEFAULT_LAYERS,
  type PixelChunkShape,
  type PixelDelta,
  type PixelGenerator,
  type PixelLayer,
  type PixelStorage,
  pixelsOf,
  type StoredPixelChunk,
  VERSION1_LAYERS,
} from "./format/pixels.ts";
export type { PixelBodyRef, PixelChunkRef, PixelDialect, PixelFacts, PixelSave } from "./format/save.ts";
export { PixelSaveHandle } from "./live/autosave.ts";
export type { PixelDamage } from "./live/damage-log.ts";
export {
  type PixelConstants,
  type PixelDamageMode,
  type PixelWorldOptions,
  requirePixelGenerator,
} from "./live/options.ts";
export { createPixelWorld, type NewPixelWorld, openPixelWorld } from "./open-pixel-world.ts";
export { type PixelChunkState, PixelWorld } from "./pixel-world.ts";
export { detectPixelWorld, openPixelSave } from "./reader.ts";
export { applyPixelRepair, type PixelRepairPlan, planPixelRepair } from "./repair.ts";
export { type VerifyPixelOptions, verifyPixelWorld } from "./verify.ts";
export { type Version1Facts, Version1Writer } from "./version1/writer.ts";
export { factsCodec as pixelFactsCodec } from "./version2/header.ts";
export { PixelSaveWriter, type PixelSaveWriterOptions } from "./version2/writer.ts";
