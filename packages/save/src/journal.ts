// The journal of a world, for `@orthant/world` and `@orthant/cluster`.
export { saveFailed } from "./codec/save-failed.ts";
export { DurableWaiters } from "./journal/durable-waiters.ts";
export {
  chunkAfter,
  JOURNAL_EDIT_CHUNKS_MAX,
  JOURNAL_STEP_ENTITIES_MAX,
  type JournalChunk,
  type JournalEdit,
  type JournalEntity,
  type JournalEntry,
  type JournalStep,
  type JournalTransaction,
  journalChunkBytesMax,
  journalChunkCodec,
  journalEditBytesMax,
  TRANSACTION_KEYS_MAX,
} from "./journal/journal-entry.ts";
export type { SegmentId } from "./journal/journal-layout.ts";
export { JournalReader, openLiveJournal, type ScannedJournal } from "./journal/journal-reader.ts";
export { type ChunkTickChanges, type TickChange, tickChangesCodec } from "./journal/journal-step.ts";
export { JournalWriter, type LogEvents } from "./journal/journal-writer.ts";
export { isSegmentTaken, nextEpochNumber, removeSegments } from "./journal/segment-writer.ts";
