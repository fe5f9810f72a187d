export { applyRepair } from "./apply-repair.ts";
export { type BlobRef, blobRefCodec } from "./blob-ref.ts";
export { blockBlobCodec } from "./block-blob.ts";
export { type Dialect, dialectOfIndex } from "./dialect.ts";
export { type EntityBlob, entityBlobCodec } from "./entity-blob.ts";
export { type EntityRecord, entityRecordCodec, PLAYER_CLASS } from "./entity-record.ts";
export { type GenerationFiles, generationFiles, packFile } from "./file-names.ts";
export type { Finding } from "./finding.ts";
export {
  type FlatBlockBlob,
  type FlatEntityBlob,
  flatBlockBlobCodec,
  flatEntityBlobCodec,
} from "./flat-blobs.ts";
export {
  type FlatGlobal,
  type FlatIndex,
  type FlatLeaf,
  flatGlobalCodec,
  flatIndexCodec,
  flatPlayersCodec,
} from "./flat-payloads.ts";
export { type FlatSaveContent, writeFlatSave } from "./flat-writer.ts";
export type { GeneratorDescriptor } from "./generator-descriptor.ts";
export {
  type BaseWorld,
  type GlobalRecord,
  type GlobalState,
  globalRecordCodec,
  type PlayerEntityHint,
} from "./global-record.ts";
export { decodeIndexFile, encodeIndexFile, type IndexFile } from "./index-file.ts";
export {
  flatIndexHeader,
  globalHeader,
  type IndexHeader,
  indexHeader,
  type PackHeader,
  type PayloadHeader,
  packHeader,
  playersHeader,
  type RecordHeader,
  recordHeader,
} from "./layout.ts";
export type { IndexVersion, LeafEntry, RegionClock } from "./leaf-entry.ts";
export { type HasCell, LeafMap } from "./leaf-map.ts";
export { chunkOfEntity } from "./leaf-partition.ts";
export { type LegacyWorld, readLegacyWorld } from "./legacy-world.ts";
export { DEFAULT_LIMITS, type SaveLimits } from "./limits.ts";
export { decodeManifest, encodeManifest, type Manifest, type ReadManifest } from "./manifest.ts";
export { type PackPiece, type ScannedGap, type ScannedRecord, scanPack } from "./pack-scan.ts";
export { type PlayerRecord, playersCodec, sortPlayers } from "./player-record.ts";
export type { BlockAssignment, BlockEntry } from "./prepared-blocks.ts";
export { detectSave, type OpenSaveOptions, openSave } from "./reader.ts";
export { planRepair, type RepairOptions } from "./repair.ts";
export { describeRepair, type Loss, type RepairPiece, type RepairPlan } from "./repair-plan.ts";
export { type FlatExtras, Save, type SaveState } from "./save.ts";
export type { LeafChange, SaveChange } from "./save-change.ts";
export type { Vector } from "./vector.ts";
export { isWhole, verifySave } from "./verify.ts";
export {
  type Attachment,
  type NamedGeneration,
  plainDescription,
  type WorldDescription,
  worldDescriptionCodec,
} from "./world-description.ts";
export { worldOverrideCodec } from "./world-override.ts";
export { createSave, type NewSave, type ResumeOptions, resumeSave, type SaveWriter } from "./writer.ts";
