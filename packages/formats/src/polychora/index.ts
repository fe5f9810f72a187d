export { type BulkSaveOptions, BulkSaveWriter, type WorldFacts } from "./bulk-writer.ts";
export { applyRepair } from "./care/apply-repair.ts";
export { describeRepair, type Loss, type RepairPiece, type RepairPlan } from "./care/repair-plan.ts";
export { type Survey, surveySave } from "./care/survey.ts";
export type { CommittedChange } from "./committed-change.ts";
export type { BlockDifference, ChunkState } from "./compare/compare-blocks.ts";
export type { FactDifference } from "./compare/compare-facts.ts";
export {
  type Change,
  type CompareOptions,
  compareSaves,
  type SaveDifference,
} from "./compare/compare-saves.ts";
export { type CopiedGeneration, type CopyGenerationOptions, copyGeneration } from "./copy-generation.ts";
export { type Dialect, dialectOfIndex } from "./dialect.ts";
export {
  type GenerationFiles,
  generationFiles,
  type PageName,
  packFile,
  pageFile,
  parsePageFile,
} from "./files/file-names.ts";
export { type PackPiece, type ScannedGap, type ScannedRecord, scanPack } from "./files/pack-scan.ts";
export { removeTemporaries } from "./files/remove-temporaries.ts";
export {
  type FlatBlockBlob,
  type FlatEntityBlob,
  flatBlockBlobCodec,
  flatEntityBlobCodec,
} from "./flat/flat-blobs.ts";
export {
  type FlatGlobal,
  type FlatIndex,
  type FlatLeaf,
  flatGlobalCodec,
  flatIndexCodec,
  flatPlayersCodec,
} from "./flat/flat-payloads.ts";
export {
  type FlatRegion,
  type FlatSaveOptions,
  FlatSaveWriter,
  type FlatWorldFacts,
} from "./flat/flat-save-writer.ts";
export { type FlatSaveContent, writeFlatSave } from "./flat/flat-writer.ts";
export {
  LEGACY_WORLD_BYTES_MAX,
  type LegacyWorld,
  openLegacyWorld,
  readLegacyWorld,
} from "./flat/legacy-world.ts";
export { worldOverrideCodec } from "./flat/world-override.ts";
export { generatedChunks, generatorOf, NOTHING } from "./generated-chunks.ts";
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
export { openLiveJournal } from "./journal/live-journal.ts";
export type { GroupSpan, ScannedSegment } from "./journal/segment-scan.ts";
export {
  type CompactedPackHeader,
  compactedPackHeader,
  flatIndexHeader,
  globalHeader,
  INDEX_PAGE_TARGET_BYTES,
  type IndexHeader,
  indexHeader,
  type PackHeader,
  type PageHeader,
  type PayloadHeader,
  packHeader,
  pageHeader,
  playersHeader,
  type RecordHeader,
  recordHeader,
} from "./layout.ts";
export { LeafMap } from "./leaves/leaf-map.ts";
export { chunkOfEntity, LEAF_BLOCKS_TARGET } from "./leaves/leaf-partition.ts";
export { SaveContent } from "./leaves/save-content.ts";
export { DEFAULT_LIMITS, type SaveLimits } from "./limits.ts";
export { type ListedGeneration, listGenerations } from "./list-generations.ts";
export type { NewSave } from "./new-save.ts";
export { detectSave, type OpenSaveOptions, openSave } from "./reader.ts";
export { openBlob, sealBlob } from "./records/blob-envelope.ts";
export { type BlobRef, blobRefCodec } from "./records/blob-ref.ts";
export { blockBlobCodec } from "./records/block-blob.ts";
export { type EntityBlob, entityBlobCodec } from "./records/entity-blob.ts";
export { type EntityRecord, entityRecordCodec, PLAYER_CLASS } from "./records/entity-record.ts";
export type { GeneratorDescriptor } from "./records/generator-descriptor.ts";
export {
  type BaseWorld,
  type GlobalRecord,
  type GlobalState,
  globalRecordCodec,
  type PlayerEntityHint,
} from "./records/global-record.ts";
export type { IndexVersion, LeafEntry, WholeIndexVersion } from "./records/leaf-entry.ts";
export { decodeManifest, encodeManifest, type Manifest, type ReadManifest } from "./records/manifest.ts";
export type { PackList, PackRange } from "./records/pack-list.ts";
export { packedBlobCodec } from "./records/packed-blob.ts";
export { mergePlayers, type PlayerRecord, playersCodec, sortPlayers } from "./records/player-record.ts";
export type { BlockAssignment, BlockEntry } from "./records/prepared-blocks.ts";
export {
  ChunkContent,
  type GeneratedChunks,
  realizeBlock,
  type StoredBlock,
  type StoredChange,
  StoredChunk,
} from "./records/stored-block.ts";
export type { Vector } from "./records/vector.ts";
export {
  type Attachment,
  CLIENT_EDITS_MAX,
  type ClientEdits,
  catalogOf,
  type Era,
  LINEAGE_MAX,
  type NamedGeneration,
  plainDescription,
  type WorldDescription,
  worldDescriptionCodec,
} from "./records/world-description.ts";
export { planRepair, type RepairOptions } from "./repair.ts";
export { type FlatExtras, Save, type SaveState } from "./save.ts";
export type { LeafChange, SaveChange } from "./save-change.ts";
export { createSave, type ResumeOptions, resumeSave } from "./start-writer.ts";
export { decodeIndexFile, encodeIndexFile, type IndexFile } from "./tree-index/index-file.ts";
export { IndexPage, type PageLink } from "./tree-index/index-page.ts";
export type { IndexTotals } from "./tree-index/index-totals.ts";
export { allLeaves, type IndexPart, type LeafDifference, LeafIndex } from "./tree-index/leaf-index.ts";
export type { HasCell } from "./tree-index/leaf-trie.ts";
export { decodeLinked, decodeRoot, encodePage, linkOf, type PageId } from "./tree-index/page-codec.ts";
export { trieOf } from "./tree-index/trie-builder.ts";
export { type VerifyOptions, verifySave } from "./verify.ts";
export type { SaveWriter } from "./writer.ts";
