// For tests, campaigns and benchmarks of this repository. Not published.

export { Pacer } from "./change/save-change.ts";
export { openBlob, sealBlob } from "./codec/blob.ts";
export { chunkBlobCodec } from "./codec/chunk-blob.ts";
export { entityBlobCodec } from "./codec/entity.ts";
export { pageFile, parsePageFile } from "./codec/files.ts";
export { globalRecordCodec } from "./codec/global-record.ts";
export {
  compactedPackHeader,
  INDEX_PAGE_TARGET_BYTES,
  indexHeader,
  LEAF_CHUNKS_TARGET,
  pageHeader,
  recordHeader,
} from "./codec/layout.ts";
export { decodeManifest, encodeManifest, type PackList } from "./codec/manifest.ts";
export {
  encodePackedBlob,
  locatedBlobCodec,
  packedBlobCodec,
  packedBytesAtLeast,
  packedBytesAtMost,
} from "./codec/packed-blob.ts";
export { scheduledTicksCodec } from "./codec/scheduled-ticks.ts";
export { STORE_PAGE_TARGET_BYTES, storePageCodec, storePagesCodec } from "./codec/store-page.ts";
export { ChunkContent, wholeChunk } from "./codec/stored-chunk.ts";
export { storedDescriptionCodec } from "./codec/world-description.ts";
export { COMPACTION_DEAD_SHARE } from "./history/compaction.ts";
export { type DatedGeneration, keptGenerations } from "./history/retention.ts";
export { journalEntryCodec } from "./journal/journal-entry.ts";
export {
  encodeEndMark,
  encodeSegmentHeader,
  finishGroup,
  groupHeader,
  JOURNAL_FOLDER,
  type SegmentKey,
  segmentFile,
  segmentHeader,
  segmentHeaderV1,
} from "./journal/journal-layout.ts";
export type { JournalBase } from "./journal/journal-reader.ts";
export { JOURNAL_ENTRY_BYTES_MAX, JOURNAL_SEGMENT_BYTES_MAX } from "./journal/journal-writer.ts";
export { decodeIndexFile, encodeIndexFile, type IndexFile } from "./leaves/index-file.ts";
export { allLeaves } from "./leaves/leaf-index.ts";
export { partitionLeaf, prepareLeaf } from "./leaves/leaf-partition.ts";
export { IndexPage, type PageLink, trieOf } from "./leaves/leaf-trie.ts";
export { decodeLinked, decodeRoot, encodePage, linkOf, type PageId } from "./leaves/page-codec.ts";
export { type PackPiece, scanPack } from "./pack/pack-scan.ts";
