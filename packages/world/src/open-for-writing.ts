import { WHOLE_LATTICE } from "@orthant/core";
import type { Disk, DiskLock } from "@orthant/disk";
import { type Save, type SaveWriter, segmentFile } from "@orthant/formats";
import { Journal } from "./journal/journal.ts";
import { replayJournal } from "./journal/replay.ts";
import { removeSegment } from "./journal/segment-writer.ts";
import { World } from "./world.ts";
import { WorldContent } from "./world-content.ts";
import type { WorldOptions } from "./world-options.ts";
import { releaseParts, type WorldSetting } from "./world-parts.ts";

/** A save with all that it takes to write to it. */
export interface WritableSave {
  readonly save: Save;
  readonly writer: SaveWriter;
  readonly lock: DiskLock;
  readonly parts: WorldSetting;
}

/**
 * Opens a world of which the lock is held. What a journal has is made again and saved, under a new era, before anybody
 * sees the world: from then on no segment of an earlier opening counts. Lets go of everything when that fails.
 */
export async function openForWriting(
  disk: Disk,
  { save, writer, lock, parts: { field, ...parts } }: WritableSave,
  { durability = "snapshot", damagedJournal = "refuse" }: WorldOptions,
): Promise<World> {
  let world: World | undefined;
  try {
    await save.index.load(WHOLE_LATTICE);
    const content = new WorldContent(save, field);
    const { clock } = parts;
    const recovery = { nowMs: clock.nowMs(), damaged: damagedJournal };
    const { segments, stale } = await replayJournal(disk, content, recovery);
    const { volume } = field.shape;
    const journal = durability === "journal" ? await Journal.open({ disk, lock, clock, volume }) : undefined;
    world = new World({ ...parts, content, writing: { writer, lock, journal } });
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
