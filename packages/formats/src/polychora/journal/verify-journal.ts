import { isOrthantError } from "@orthant/core";
import type { Disk } from "@orthant/disk";
import { type Finding, findingOf, noticeOf } from "../../files/finding.ts";
import type { GlobalRecord } from "../records/global-record.ts";
import { JOURNAL_FOLDER, segmentFile } from "./journal-layout.ts";
import { JournalReader } from "./journal-reader.ts";

/** What there is to say about the journal beside a generation. Throws nothing that a journal can cause. */
export async function verifyJournal(
  disk: Disk,
  generation: number,
  global: GlobalRecord,
): Promise<readonly Finding[]> {
  try {
    const journal = await JournalReader.open(disk, { generation, global });
    try {
      return await findingsIn(journal, generation, global);
    } finally {
      await journal.close();
    }
  } catch (error) {
    // A segment that was there a moment ago is saved now, and removed.
    if (isOrthantError(error, "ORT_NOT_FOUND")) return [];
    if (isOrthantError(error)) return [findingOf(error, JOURNAL_FOLDER, generation)];
    throw error;
  }
}

async function findingsIn(
  journal: JournalReader,
  generation: number,
  global: GlobalRecord,
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
