import type { Disk } from "@orthant/disk";
import {
  JournalReader,
  JournalWriter,
  nextEpochNumber,
  removeSegments,
  type ScannedJournal,
} from "@orthant/save";
import { replayJournal } from "./journal/replay.ts";
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
    const found = await recover(disk, content, recovery);
    const { volume } = field.shape;
    const random = randomBits(options.random);
    const journal =
      durability === "journal" ? await JournalWriter.open({ disk, lock, clock, volume, random }) : undefined;
    const epoch = nextEpochNumber(content.global.description.clockEpoch, found);
    world = new World({ ...parts, disk, content, epoch, writing: { writer, lock, journal } });
    // The next opening must not report the cut-off part as missing again.
    const hasPast = found.segments.length > 0 || found.damage !== undefined;
    // A new epoch invalidates any segment that the earlier holder of a contested lock may still write.
    if (journal !== undefined || hasPast || lock.isContested) await world.openEpoch();
    await lock.settle();
    await removeSegments(disk, found);
    return world;
  } catch (error) {
    if (world === undefined) await releaseParts(save, { writer, lock });
    else await world.close();
    throw error;
  }
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
