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
} from "./body.ts";
export { CHUNK_EDGE, PIXEL_BYTES, PIXEL_TILE_EDGE } from "./limits.ts";
export { PixelSaveHandle } from "./live/autosave.ts";
export type { PixelDamage } from "./live/damage-log.ts";
export { createPixelWorld, type NewPixelWorld, openPixelWorld } from "./open-pixel-world.ts";
export type { PixelConstants, PixelDamageMode, PixelWorldOptions } from "./options.ts";
export { type PixelChunkState, PixelWorld } from "./pixel-world.ts";
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
} from "./pixels.ts";
export { detectPixelWorld, openPixelSave } from "./reader.ts";
export { applyPixelRepair, type PixelRepairPlan, planPixelRepair } from "./repair.ts";
export type { PixelBodyRef, PixelChunkRef, PixelDialect, PixelFacts, PixelSave } from "./save.ts";
export { type VerifyPixelOptions, verifyPixelWorld } from "./verify.ts";
export { type Version1Facts, Version1Writer } from "./version1/writer.ts";
export { factsCodec as pixelFactsCodec } from "./version2/header.ts";
export { PixelSaveWriter, type PixelSaveWriterOptions } from "./writer.ts";
