import type { Disk } from "@orthant/disk";
import { openSave, type Save } from "@orthant/save";
import { type JournalReader, openLiveJournal } from "@orthant/save/journal";
import type { EngineOptions } from "../options/world-options.ts";
import { saveOptionsOf } from "./world-settings.ts";

/**
 * Opens the live generation of a world that another process may be writing, and its journal. Returns what `use` makes of
 * them, which the save then belongs to; the journal is closed.
 */
export async function openWithJournal<Value>(
  disk: Disk,
  options: Pick<EngineOptions, "generators">,
  use: (save: Save, journal: JournalReader) => Promise<Value>,
): Promise<Value> {
  for (;;) {
    const save = await openSave(disk, saveOptionsOf(options));
    try {
      const journal = await openLiveJournal(disk, save);
      if (journal !== undefined) return await use(save, journal).finally(() => journal.close());
      // A writer committed in between. Commits are seconds apart, so the next attempt has enough time.
      await save.close();
    } catch (error) {
      await save.close();
      throw error;
    }
  }
}
