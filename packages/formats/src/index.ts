/**
 * The saves of other games, to read and convert.
 *
 * @module @orthant/formats
 */

export { convertToMemory, type MemoryConversionOptions } from "./format/convert-to-memory.ts";
export { fileBytes } from "./format/files.ts";
export type {
  ConversionOutcome,
  DetectedWorld,
  ExportRequest,
  Format,
  FormatEnvironment,
  FormatOption,
  FormatProgress,
  FormatRequest,
  FormatValues,
  OpenConversion,
  WorldInfo,
  WorldRepair,
} from "./format/format.ts";
export { describeGenerator, type GeneratorInfo, generatorInfo, generatorInfoOf } from "./format/generator.ts";
export type { ImportTasks, PieceCensus } from "./format/import-tasks.ts";
export {
  type ConversionCounts,
  type ConversionLoss,
  ConversionLosses,
  type ConversionReport,
  type ConvertOptions,
} from "./format/losses.ts";
export { describeSaveRepair, type RepairedJournal } from "./format/save-repair.ts";
export {
  formatAmount,
  formatBox,
  formatBytes,
  formatCount,
  formatPosition,
  formatTime,
} from "./format/text.ts";
export { detectFormat, FOREIGN_FORMATS } from "./formats.ts";
export {
  convertMarsMiner,
  convertToMarsMinerSave,
  type MarsMinerConvertOptions,
} from "./marsminer/convert.ts";
export { octreeOfBoxes } from "./marsminer/octree.ts";
export { MarsMinerSave, type OpenMarsMinerOptions, openMarsMiner } from "./marsminer/save.ts";
export { ticksOfMs } from "./marsminer/state.ts";
export { verifyMarsMiner } from "./marsminer/verify.ts";
export { createMarsMiner, type MarsMinerWriter } from "./marsminer/writer.ts";
export { convertFlatSave } from "./polychora-flat/convert-from-flat.ts";
export { detectNativeSave } from "./polychora-flat/detect.ts";
export { type FlatSave, openFlatSave } from "./polychora-flat/reader.ts";
export type { PixelConvertOptions } from "./pxsw/checked-arguments.ts";
export { convertTreeToPixel } from "./pxsw/from-tree.ts";
export { convertPixelToPixel } from "./pxsw/pixel-to-pixel.ts";
export { convertPixelToTree } from "./pxsw/to-tree.ts";
export { exportTileSave, importTileSave } from "./tilesave/convert.ts";
export { type OpenedTileSave, openTileSave, writeTileSave } from "./tilesave/files.ts";
export { EMPTY_TILE_SAVE, type TileSave } from "./tilesave/tile-save.ts";
export { convertToV3 } from "./to-v3.ts";
