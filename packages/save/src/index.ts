export { type Finding, isWhole } from "@orthant/disk/files";
export { openBlob, sealBlob } from "./codec/blob-envelope.ts";
export { type BlobRef, blobRefCodec } from "./codec/blob-ref.ts";
export { chunkBlobCodec } from "./codec/chunk-blob.ts";
export { type EntityBlob, entityBlobCodec } from "./codec/entity-blob.ts";
export { PLAYER_CLASS, type StoredEntity, storedEntityCodec } from "./codec/entity-record.ts";
export {
  type GenerationFiles,
  generationFiles,
  type PageName,
  packFile,
  pageFile,
  parsePageFile,
} from "./codec/file-names.ts";
export { generatedChunks, generatorOf, NOTHING } from "./codec/generated-chunks.ts";
export type { GeneratorDescriptor } from "./codec/generator-descriptor.ts";
export {
  type BaseWorld,
  type GlobalRecord,
  type GlobalState,
  globalRecordCodec,
  type PlayerEntityHint,
} from "./codec/global-record.ts";
export {
  type CompactedPackHeader,
  compactedPackHeader,
  globalHeader,
  INDEX_PAGE_TARGET_BYTES,
  type IndexHeader,
  indexHeader,
  MANIFEST_FILE,
  type PackHeader,
  type PageHeader,
  type PayloadHeader,
  packHeader,
  pageHeader,
  playersHeader,
  type RecordHeader,
  recordHeader,
} from "./codec/layout.ts";
export type { IndexVersion, LeafEntry, WholeIndexVersion } from "./codec/leaf-entry.ts";
export { DEFAULT_LIMITS, type SaveLimits } from "./codec/limits.ts";
export { decodeManifest, encodeManifest, type Manifest, type ReadManifest } from "./codec/manifest.ts";
export type { PackList, PackRange } from "./codec/pack-list.ts";
export { packedBlobCodec } from "./codec/packed-blob.ts";
export { mergePlayers, playersCodec, type StoredPlayer, sortPlayers } from "./codec/player-record.ts";
export type { ChunkAssignment, ChunkEntry } from "./codec/prepared-chunks.ts";
export {
  ChunkContent,
  type GeneratedChunks,
  realizeStored,
  type StoredChange,
  type StoredChunk,
  WholeChunk,
} from "./codec/stored-chunk.ts";
export type { Vector } from "./codec/vector.ts";
export {
  type Attachment,
  CLIENT_EDITS_MAX,
  type ClientEdits,
  catalogOf,
  DESCRIPTION_EPOCHS_MAX,
  type NamedGeneration,
  plainDescription,
  type WorldDescription,
  worldDescriptionCodec,
} from "./codec/world-description.ts";
export { type BulkSaveOptions, BulkSaveWriter, type WorldFacts } from "./commit/bulk-writer.ts";
export type { CommittedChange } from "./commit/committed-change.ts";
export type { NewSave } from "./commit/new-save.ts";
export { removeTemporaries } from "./commit/remove-temporaries.ts";
export type { LeafChange, SaveChange } from "./commit/save-change.ts";
export { createSave, type ResumeOptions, resumeSave } from "./commit/start-writer.ts";
export type { SaveWriter } from "./commit/writer.ts";
export type { ChunkDifference, ChunkState } from "./compare/compare-chunks.ts";
export type { FactDifference } from "./compare/compare-facts.ts";
export {
  type Change,
  type CompareOptions,
  compareSaves,
  type SaveDifference,
} from "./compare/compare-saves.ts";
export {
  COMPACTION_DEAD_SHARE,
  type CompactionOptions,
  type CompactionReport,
} from "./history/compaction.ts";
export {
  type DatedGeneration,
  DEFAULT_RETENTION,
  keptGenerations,
  type Retention,
} from "./history/retention.ts";
export { decodeIndexFile, encodeIndexFile, type IndexFile } from "./index/index-file.ts";
export { IndexPage, type PageLink } from "./index/index-page.ts";
export type { IndexTotals } from "./index/index-totals.ts";
export { allLeaves, type IndexPart, type LeafDifference, LeafIndex } from "./index/leaf-index.ts";
export { LeafMap } from "./index/leaf-map.ts";
export { chunkOfEntity, LEAF_CHUNKS_TARGET } from "./index/leaf-partition.ts";
export type { HasCell } from "./index/leaf-trie.ts";
export { decodeLinked, decodeRoot, encodePage, linkOf, type PageId } from "./index/page-codec.ts";
export { SaveContent } from "./index/save-content.ts";
export { trieOf } from "./index/trie-builder.ts";
export {
  JOURNAL_EDIT_CHUNKS_MAX,
  type JournalChunk,
  type JournalEdit,
  type JournalEntry,
  journalChunkCodec,
  journalEditBytesMax,
  journalEntryCodec,
} from "./journal/journal-entry.ts";
export {
  encodeEndMark,
  encodeSegmentHeader,
  JOURNAL_GROUP_BYTES_MAX,
  type SegmentKey,
  sealGroup,
} from "./journal/journal-group.ts";
export {
  groupHeader,
  JOURNAL_FOLDER,
  parseSegmentName,
  type SegmentId,
  segmentFile,
  segmentHeader,
  segmentHeaderV1,
} from "./journal/journal-layout.ts";
export { type JournalBase, JournalReader, type ScannedJournal } from "./journal/journal-reader.ts";
export {
  JOURNAL_ENTRY_BYTES_MAX,
  JOURNAL_SEGMENT_BYTES_MAX,
  JournalWriter,
  type LogEvents,
  poisoned,
} from "./journal/journal-writer.ts";
export { openLiveJournal } from "./journal/live-journal.ts";
export type { GroupSpan, ScannedSegment } from "./journal/segment-scan.ts";
export { isSegmentTaken, nextEpochNumber, removeSegments } from "./journal/segment-writer.ts";
export { type PackPiece, type ScannedGap, type ScannedRecord, scanPack } from "./pack/pack-scan.ts";
export { type CopiedGeneration, type CopyGenerationOptions, copyGeneration } from "./read/copy-generation.ts";
export { type ListedGeneration, listGenerations } from "./read/list-generations.ts";
export { hasSave, type OpenSaveOptions, openSave } from "./read/reader.ts";
export { Save, type SaveState } from "./read/save.ts";
export { applyRepair } from "./repair/apply-repair.ts";
export { planRepair, type RepairOptions } from "./repair/repair.ts";
export type { Loss, RepairPiece, RepairPlan } from "./repair/repair-plan.ts";
export { type Survey, surveySave } from "./repair/survey.ts";
export { type VerifyOptions, verifySave } from "./verify/verify.ts";
