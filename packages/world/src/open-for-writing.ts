import { isOrthantError } from "@orthant/core";
import type { Disk } from "@orthant/disk";
import {
  JOURNAL_FOLDER,
  JournalReader,
  parseSegmentName,
  type ScannedJournal,
  segmentFile,
} from "@orthant/save";
import { Journal } from "./journal/journal.ts";
import { replayJournal } from "./journal/replay.ts";
import { removeSegment } from "./journal/segment-writer.ts";
import type { WritableSave } from "./open-writable.ts";
import { randomBits } from "./random-bits.ts";
import { World } from "./world.ts";
import type { WorldContent } from "./world-content.ts";
import type { WorldOptions } from "./world-options.ts";
import { releaseParts } from "./world-parts.ts";
import { contentOf } from "./world-setting.ts";

/**
 * Opens a world whose lock is held. Replays the journal and saves the result under a new epoch before
 * returning, so that segments of earlier sessions no longer count. Releases everything when it fails.
 */
export async function openForWriting(
  disk: Disk,
  { save, writer, lock, setting: { field, ...parts } }: WritableSave,
  options: WorldOptions,
): Promise<World> {
  const { durability = "snapshot", damagedJournal = "refuse" } = options;
  let world: World | undefined;
  try {
    const content = contentOf(save, field, options);
    const { clock } = parts;
    const recovery = { nowMs: clock.nowMs(), damaged: damagedJournal };
    const { segments, stale, damage } = await recover(disk, content, recovery);
    const { volume } = field.shape;
    const random = randomBits(options.random);
    const journal =
      durability === "journal" ? await Journal.open({ disk, lock, clock, volume, random }) : undefined;
    const epoch = nextEpoch(content, stale);
    world = new World({ ...parts, disk, content, epoch, writing: { writer, lock, journal } });
    // The next opening must not report the cut-off part as missing again.
    const hasPast = segments.length > 0 || damage !== undefined;
    // A new epoch invalidates any segment that the earlier holder of a contested lock may still write.
    if (journal !== undefined || hasPast || lock.isContested) await world.openEpoch();
    await lock.settle();
    for (const path of [...stale, ...segments.map(({ id }) => segmentFile(id))])
      await removeSegment(disk, path);
    return world;
  } catch (error) {
    if (world === undefined) await releaseParts(save, { writer, lock });
    else await world.close();
    throw error;
  }
}

/**
 * Whether an opening failed because a writer that lost the lock created a segment of the chosen name after the opening
 * had listed the segments. The next opening lists that one too, and chooses another epoch. Rule J1.
 */
export function isSegmentTaken(error: unknown): boolean {
  const cause = isOrthantError(error, "ORT_SAVE_POISONED") ? error.cause : undefined;
  return isOrthantError(cause, "ORT_EXISTS") && cause.context.path?.startsWith(`${JOURNAL_FOLDER}/`) === true;
}

/**
 * Returns the epoch after the last one and after those of sessions that created a segment but never
 * committed, so that no segment name is used twice. Rule J1.
 */
function nextEpoch({ global }: WorldContent, stale: readonly string[]): number {
  const names = stale.map((path) => path.slice(JOURNAL_FOLDER.length + 1));
  const used = new Set(names.map((name) => parseSegmentName(name)?.epoch));
  let epoch = global.description.clockEpoch + 1;
  while (used.has(epoch)) epoch++;
  return epoch;
}

/** Replays the journal and returns the segments to remove. */
async function recover(
  disk: Disk,
  content: WorldContent,
  recovery: Parameters<typeof replayJournal>[2],
): Promise<ScannedJournal> {
  const journal = await JournalReader.open(disk, content.save);
  try {
    await replayJournal(journal, content, recovery);
    return journal.found;
  } finally {
    await journal.close();
  }
}
