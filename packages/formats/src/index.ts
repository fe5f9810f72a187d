export type { ConversionLoss } from "./convert/losses.ts";
export { type ConversionReport, type ConvertOptions, convertSave } from "./convert.ts";
export { exportTileSave, importTileSave } from "./convert-tiles.ts";
export { type DetectedFormat, detectFormat } from "./detect.ts";
export * from "./polychora/index.ts";
export * from "./tilesave/index.ts";
