export type { ConvertOptions } from "./convert/conversion.ts";
export {
  convertMarsMiner,
  convertToMarsMinerSave,
  type MarsMinerConversionReport,
  type MarsMinerConvertOptions,
} from "./convert/convert-marsminer.ts";
export { exportTileSave, importTileSave } from "./convert/convert-tiles.ts";
export type { ConversionLoss, ConversionReport } from "./convert/losses.ts";
export type { MarsMinerLocations } from "./convert/marsminer-facts.ts";
export type { PixelConvertOptions } from "./convert/pixel-conversion.ts";
export { PIXEL_BODY_CLASS } from "./convert/pixel-entities.ts";
export type { PixelTargetKind } from "./convert/pixel-target.ts";
export { convertPixelToPixel } from "./convert/pixel-to-pixel.ts";
export { convertPixelToTree } from "./convert/pixel-to-tree.ts";
export { convertToV3 } from "./convert/to-v3.ts";
export { convertTreeToPixel } from "./convert/tree-to-pixel.ts";
export {
  type DetectedFlatSave,
  type DetectedFormat,
  type DetectedLegacyWorld,
  type DetectedMarsMiner,
  type DetectedPixelWorld,
  type DetectedPolychora,
  type DetectedTileSave,
  detectFormat,
  detectLegacyWorld,
} from "./detect.ts";
export * from "./marsminer/index.ts";
export * from "./polychora-flat/index.ts";
export * from "./tilesave/index.ts";
