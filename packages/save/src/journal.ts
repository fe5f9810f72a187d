// The journal of a world, for `@orthant/world` and `@orthant/cluster`.
export { saveFailed } from "./commit/save-failed.ts";
export {
  chunkAfter,
  JOURNAL_EDIT_CHUNKS_MAX,
  type JournalChunk,
  type JournalEdit,
  type JournalEntry,
  journalChunkBytesMax,
  journalChunkCodec,
  journalEditBytesMax,
} from "./journal/journal-entry.ts";
export type { SegmentId } from "./journal/journal-layout.ts";
export { JournalReader, openLiveJournal, type ScannedJournal } from "./journal/journal-reader.ts";
export { JournalWriter, type LogEvents } from "./journal/journal-writer.ts";
export { isSegmentTaken, nextEpochNumber, removeSegments } from "./journal/segment-writer.ts";
