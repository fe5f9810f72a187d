import { isOrthantError } from "@orthant/core";
import type { Disk } from "@orthant/disk";
import { type Finding, findingOf, noticeOf } from "../care/finding.ts";
import type { GlobalRecord } from "../records/global-record.ts";
import { JOURNAL_FOLDER, segmentFile } from "./journal-layout.ts";
import { readJournal, scanJournal } from "./journal-reader.ts";

/** What there is to say about the journal beside a generation. Throws nothing that a journal can cause. */
export async function verifyJournal(
  disk: Disk,
  generation: number,
  global: GlobalRecord,
): Promise<readonly Finding[]> {
  try {
    const first = await scanJournal(disk, { generation, global });
    // A world may be open and write while we look: what was written since the first look is no damage in the second.
    const journal = first.damage === undefined ? first : await scanJournal(disk, { generation, global });
    for await (const _entries of readJournal(disk, journal, global.description.chunkShape.volume));
    const groups = journal.segments.reduce((sum, segment) => sum + segment.groups.length, 0);
    const waiting = `${groups} groups of changes since generation ${generation}: open the world to save them`;
    return [
      ...(journal.damage === undefined ? [] : [findingOf(journal.damage, JOURNAL_FOLDER, generation)]),
      ...(groups === 0 ? [] : [noticeOf(JOURNAL_FOLDER, waiting)]),
      ...journal.segments
        .filter(({ tornBytes, damage }) => tornBytes > 0 && damage === undefined)
        .map(({ id, tornBytes }) =>
          noticeOf(segmentFile(id), `${tornBytes} bytes of a write that was cut off`),
        ),
      ...journal.stale.map((path) => noticeOf(path, "a journal that is saved, or of another opening")),
      ...journal.strangers.map((path) => noticeOf(path, "a file that is no part of the journal")),
    ];
  } catch (error) {
    // A segment that was there a moment ago is saved now, and removed.
    if (isOrthantError(error, "ORT_NOT_FOUND")) return [];
    if (isOrthantError(error)) return [findingOf(error, JOURNAL_FOLDER, generation)];
    throw error;
  }
}
