export type { ConversionLoss } from "./convert/losses.ts";
export type { MarsMinerLocations } from "./convert/marsminer-facts.ts";
export { type ConversionReport, type ConvertOptions, convertSave } from "./convert.ts";
export {
  convertMarsMiner,
  convertToMarsMinerSave,
  type MarsMinerConversionReport,
  type MarsMinerConvertOptions,
} from "./convert-marsminer.ts";
export { type DetectedFormat, detectFormat } from "./detect.ts";
export * from "./marsminer/index.ts";
export * from "./polychora/index.ts";
