import type { Disk } from "@orthant/disk";
import { JournalReader, type ScannedJournal, segmentFile } from "@orthant/formats";
import { Journal } from "./journal/journal.ts";
import { replayJournal } from "./journal/replay.ts";
import { removeSegment } from "./journal/segment-writer.ts";
import type { WritableSave } from "./open-writable.ts";
import { World } from "./world.ts";
import type { WorldContent } from "./world-content.ts";
import type { WorldOptions } from "./world-options.ts";
import { releaseParts } from "./world-parts.ts";
import { contentOf } from "./world-setting.ts";

/**
 * Opens a world of which the lock is held. What a journal has is made again and saved, under a new era, before anybody
 * sees the world: from then on no segment of an earlier opening counts. Lets go of everything when that fails.
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
    const { segments, stale } = await recover(disk, content, recovery);
    const { volume } = field.shape;
    const journal = durability === "journal" ? await Journal.open({ disk, lock, clock, volume }) : undefined;
    world = new World({ ...parts, disk, content, writing: { writer, lock, journal } });
    if (journal !== undefined || segments.length > 0) await world.openEra();
    for (const path of [...stale, ...segments.map(({ id }) => segmentFile(id))])
      await removeSegment(disk, path);
    return world;
  } catch (error) {
    if (world === undefined) await releaseParts(save, { writer, lock });
    else await world.close();
    throw error;
  }
}

/** Makes happen again what the journal has, and gives what there is to be removed. */
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
