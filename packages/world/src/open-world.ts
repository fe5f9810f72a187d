import type { Disk } from "@orthant/disk";
import { isSegmentTaken, openLiveJournal, openSave } from "@orthant/save";
import { type DamagedJournal, replayJournal } from "./journal/replay.ts";
import { generationAt, type Moment } from "./kept-generations.ts";
import { openForWriting } from "./open-for-writing.ts";
import { openWritable } from "./open-writable.ts";
import { World } from "./world.ts";
import type { WorldContent } from "./world-content.ts";
import type { WorldOptions } from "./world-options.ts";
import { contentOf, generatorsOf, settingOf } from "./world-setting.ts";

/** Attempts to open a world for writing while former holders of its lock take the names of new segments. */
const OPENINGS_MAX = 3;

/**
 * Opens the world on a disk, either for writing, which only one process can do at a time, or read-only.
 * Opening reads the index, not the chunks. Throws `ORT_LOCKED` when another process writes to the world and
 * `ORT_NOT_FOUND` when there is none.
 */
export async function openWorld(disk: Disk, options: WorldOptions = {}): Promise<World> {
  if (options.at !== undefined) return openPast(disk, options.at, options);
  if (options.readOnly === true) return openToRead(disk, options);
  for (let opening = 1; ; opening++) {
    try {
      return await openForWriting(disk, await openWritable(disk, options), options);
    } catch (error) {
      if (opening === OPENINGS_MAX || !isSegmentTaken(error)) throw error;
    }
  }
}

/** Opens a kept generation read-only. The journal is ignored, since its entries came later. */
async function openPast(disk: Disk, at: Moment, options: WorldOptions): Promise<World> {
  const newest = await openSave(disk);
  await newest.close();
  const generation = await generationAt(disk, at, newest.global.description);
  const save = await openSave(disk, { ...generatorsOf(options), generation });
  try {
    const { field, ...parts } = settingOf(save.global, options);
    return new World({ ...parts, disk, content: contentOf(save, field, options), writing: undefined });
  } catch (error) {
    await save.close();
    throw error;
  }
}

/** Opens the last saved generation and replays the journal on top of it in memory. Rule J17. */
async function openToRead(disk: Disk, options: WorldOptions): Promise<World> {
  for (;;) {
    const save = await openSave(disk, generatorsOf(options));
    try {
      const { field, ...parts } = settingOf(save.global, options);
      const content = contentOf(save, field, options);
      if (await readJournal(disk, content, parts.clock.nowMs(), options.damagedJournal))
        return new World({ ...parts, disk, content, writing: undefined });
      // A writer committed in between. Commits are seconds apart, so the next attempt has enough time.
      await save.close();
    } catch (error) {
      await save.close();
      throw error;
    }
  }
}

/** Replays the journal. Returns `false` when the journal no longer belongs to this generation. */
async function readJournal(
  disk: Disk,
  content: WorldContent,
  nowMs: number,
  // A reader loses nothing when the damaged part is cut off.
  damaged: DamagedJournal = "cut",
): Promise<boolean> {
  const journal = await openLiveJournal(disk, content.save);
  try {
    if (journal !== undefined) await replayJournal(journal, content, { nowMs, damaged });
    return journal !== undefined;
  } finally {
    await journal?.close();
  }
}
