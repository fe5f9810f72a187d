// For tests, campaigns and golden files of this repository; not published.
export { ImportConversion } from "./imported/import-conversion.ts";
export type { ImportSource } from "./imported/import-source.ts";
export { StateCollector } from "./imported/imported-blocks.ts";
export { blockKinds as marsMinerBlockKinds } from "./marsminer/blocks.ts";
export {
  headerStruct as marsMinerHeader,
  MARSMINER_DIALECTS,
  type MarsMinerDialect,
  pointerRecord as marsMinerPointerRecord,
  pointersHead as marsMinerPointersHead,
  stringsHead as marsMinerStringsHead,
} from "./marsminer/layout.ts";
export {
  buildOctree,
  type Octree,
  type OctreeBox,
  octreeBoxes,
  octreeCodec,
  octreeVoxel,
  uniformOctree,
} from "./marsminer/octree.ts";
export { describeAddress as describeMarsMinerAddress } from "./marsminer/pointer.ts";
export { applyMarsMinerRepair, describeMarsMinerRepair, planMarsMinerRepair } from "./marsminer/repair.ts";
export type { MarsMinerChunk, MarsMinerState } from "./marsminer/state.ts";
export {
  type MarsMinerChunkContent,
  type MarsMinerWriterOptions,
  resumeMarsMiner,
} from "./marsminer/writer.ts";
export { planBlocks } from "./paste/block-plan.ts";
export { convertToFlat } from "./polychora-flat/convert-to-flat.ts";
export { isFlatSave } from "./polychora-flat/detect.ts";
export {
  importLegacyWorld,
  type LegacyWorld,
  openLegacyWorld,
  readLegacyWorld,
} from "./polychora-flat/legacy-world.ts";
export {
  flatGlobalCodec,
  flatIndexCodec,
  flatPlayersCodec,
  worldOverrideCodec,
} from "./polychora-flat/payloads.ts";
export { flatChunkBlobCodec, flatEntityBlobCodec } from "./polychora-flat/records.ts";
export { applyFlatRepair, type FlatRepairPlan, planFlatRepair } from "./polychora-flat/repair.ts";
export { verifyFlatSave } from "./polychora-flat/verify.ts";
export { type FlatSaveContent, writeFlatSave } from "./polychora-flat/writer.ts";
export { PIXEL_BODY_CLASS } from "./pxsw/entities.ts";
export { decodeTileSave, encodeTileSave } from "./tilesave/save-text.ts";
export { TILE_SAVE_BACKUP_FILE, TILE_SAVE_FILE } from "./tilesave/tile-save.ts";
