/**
 * The save format: reading, writing, verifying and repairing a world on disk.
 *
 * @module @orthant/save
 */

export { type Finding, isWhole } from "@orthant/disk/files";
export type { GeneratorChange, LeafChange, SaveChange } from "./change/save-change.ts";
export type { RecordRef } from "./codec/blob.ts";
export type { StoredEntity, StoredPlayer } from "./codec/entity.ts";
export type { BaseWorld, GlobalRecord, GlobalState } from "./codec/global-record.ts";
export { DEFAULT_LIMITS, type SaveLimits } from "./codec/layout.ts";
export type { ChunkAssignment, ChunkEntry } from "./codec/prepared-chunks.ts";
export type { StoreChange, StoreEntry, StoreList, StorePage } from "./codec/store-page.ts";
export type { GeneratedChunks, StoredChunk } from "./codec/stored-chunk.ts";
export {
  type Attachment,
  catalogOf,
  type LastClientEdit,
  type NamedGeneration,
  plainDescription,
  type WorldDescription,
} from "./codec/world-description.ts";
export {
  type BulkSaveOptions,
  BulkSaveWriter,
  type EncodedLeaf,
  encodeBulkLeaves,
} from "./commit/bulk-writer.ts";
export { createSave, type NewSave, type ResumeOptions, resumeSave } from "./commit/start-writer.ts";
export type { SaveWriter } from "./commit/writer.ts";
export { type CompareOptions, compareSaves, type SaveDifference } from "./compare/compare-saves.ts";
export { type CopiedGeneration, type CopyGenerationOptions, copyGeneration } from "./copy/copy-generation.ts";
export type { CompactionOptions, CompactionReport } from "./history/compaction.ts";
export { DEFAULT_RETENTION, type Retention } from "./history/retention.ts";
export type { CommittedChange } from "./leaves/committed-change.ts";
export type { LeafEntry } from "./leaves/leaf-entry.ts";
export { LeafIndex } from "./leaves/leaf-index.ts";
export { chunkOfEntity } from "./leaves/leaf-partition.ts";
export { hasSave, type OpenSaveOptions, openSave } from "./read/reader.ts";
export { requireSave, Save, type SaveState } from "./read/save.ts";
export { type ListedGeneration, listGenerations, type Survey, surveySave } from "./read/survey.ts";
export { applyRepair } from "./repair/apply-repair.ts";
export { planRepair, type RepairOptions } from "./repair/repair.ts";
export type { Loss, RepairPlan } from "./repair/salvage.ts";
export { type VerifyOptions, verifySave } from "./verify/verify.ts";
