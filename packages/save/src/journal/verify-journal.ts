import { isOrthantError } from "@orthant/core";
import type { Disk } from "@orthant/disk";
import { type Finding, findingOf, noticeOf } from "@orthant/disk/files";
import { JOURNAL_FOLDER, segmentFile } from "./journal-layout.ts";
import type { JournalBase, JournalReader } from "./journal-reader.ts";
import { openLiveJournal } from "./live-journal.ts";

/**
 * Returns the findings for the journal of the live generation. Never throws because of a journal's content.
 */
export async function verifyJournal(disk: Disk, base: JournalBase): Promise<readonly Finding[]> {
  try {
    const journal = await openLiveJournal(disk, base);
    // A writer has committed since, so the journal belongs to a generation that is not being verified.
    if (journal === undefined) return [];
    try {
      return await findingsIn(journal, base);
    } finally {
      await journal.close();
    }
  } catch (error) {
    // A segment that existed a moment ago has been saved and removed.
    if (isOrthantError(error, "ORT_NOT_FOUND")) return [];
    if (isOrthantError(error)) return [findingOf(error, JOURNAL_FOLDER, base.generation)];
    throw error;
  }
}

async function findingsIn(
  journal: JournalReader,
  { generation, global }: JournalBase,
): Promise<readonly Finding[]> {
  const { damage, segments, stale, strangers } = journal.found;
  const entries = await journal.countEntries(global.description.chunkShape.volume);
  const waiting = `${entries} changes since generation ${generation}: open the world to save them`;
  return [
    ...(damage === undefined ? [] : [findingOf(damage, JOURNAL_FOLDER, generation)]),
    ...(entries === 0 ? [] : [noticeOf(JOURNAL_FOLDER, waiting)]),
    ...segments
      .filter(({ tornBytes, damage }) => tornBytes > 0 && damage === undefined)
      .map(({ id, tornBytes }) =>
        noticeOf(segmentFile(id), `${tornBytes} bytes of a write that was cut off`),
      ),
    ...stale.map((path) => noticeOf(path, "a journal that is saved, or of another opening")),
    ...strangers.map((path) => noticeOf(path, "a file that is no part of the journal")),
  ];
}
