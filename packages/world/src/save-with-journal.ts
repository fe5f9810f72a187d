import { isOrthantError } from "@orthant/core";
import { type Disk, OverlayDisk } from "@orthant/disk";
import { type JournalReader, openLiveJournal, openSave, type Save } from "@orthant/formats";
import { type ReplayedJournal, replayReadable } from "./journal/replay.ts";
import { openWritable } from "./open-writable.ts";
import type { WorldOptions } from "./world-options.ts";
import { releaseParts } from "./world-parts.ts";
import { contentOf, generatorsOf } from "./world-setting.ts";

/** A world as `openWorld` would show it, for tools that work on saves. */
export interface SaveWithJournal {
  /** All that the world holds. When the journal has something, it is a generation that is in memory alone. */
  readonly save: Save;
  /** Shows that save as the live one: the world's disk, or an overlay over it. Opening it again replays nothing. */
  readonly disk: Disk;
  /** The last generation that is on the world's own disk. */
  readonly generation: number;
  readonly journal: ReplayedJournal;
}

/**
 * Opens the live generation with what its journal has since then, and writes nothing to the disk. A journal that cannot
 * be replayed, in part or at all, is no error: `journal.loss` says why. Rule J30.
 */
export async function openSaveWithJournal(
  disk: Disk,
  options: Pick<WorldOptions, "generators"> = {},
): Promise<SaveWithJournal> {
  for (;;) {
    const save = await openSave(disk, generatorsOf(options));
    try {
      const journal = await openLiveJournal(disk, save);
      if (journal === undefined) {
        // A writer committed in between; the next round reads that generation.
        await save.close();
        continue;
      }
      try {
        return await withJournal(disk, save, journal, options);
      } finally {
        await journal.close();
      }
    } catch (error) {
      await save.close();
      throw error;
    }
  }
}

async function withJournal(
  disk: Disk,
  save: Save,
  journal: JournalReader,
  options: Pick<WorldOptions, "generators">,
): Promise<SaveWithJournal> {
  const { generation } = save;
  const { damage } = journal.found;
  const { bytes } = journal;
  if (journal.groups === 0)
    return { save, disk, generation, journal: { changes: 0, replayed: 0, bytes, loss: damage } };
  const overlay = new OverlayDisk(disk);
  try {
    const replayed = await replayOnto(overlay, journal, options);
    const made = await openSave(overlay, generatorsOf(options));
    await save.close();
    return { save: made, disk: overlay, generation, journal: replayed };
  } catch (error) {
    if (!isOrthantError(error, "ORT_GENERATOR_UNKNOWN", "ORT_GENERATOR_VERSION")) throw error;
    // Voxels were put into chunks that only this generator can make.
    const changes = await journal.countEntries(save.global.description.chunkShape.volume);
    return { save, disk, generation, journal: { changes, replayed: 0, bytes, loss: damage ?? error } };
  }
}

/**
 * Replays a journal, as far as it can be read, onto the save of another disk and commits the result there. That save
 * holds what the journal's generation held, or what a repair brought back of it. Regions to which the repair issued later
 * clocks keep them: clients must fetch those again.
 */
export async function replayOnto(
  disk: Disk,
  journal: JournalReader,
  options: Pick<WorldOptions, "generators"> = {},
): Promise<ReplayedJournal> {
  const { save, writer, lock, setting } = await openWritable(disk, options, { newPack: true });
  try {
    // The time of the save, so that the same journal gives the same bytes whenever it is replayed.
    const nowMs = save.manifest.lastModifiedMs;
    const content = contentOf(save, setting.field, options);
    const replayed = await replayReadable(journal, content, nowMs);
    const change = await content.loadedChange(nowMs);
    if (change !== undefined) await (await writer.commit(change)).close();
    return replayed;
  } finally {
    await releaseParts(save, { writer, lock });
  }
}
