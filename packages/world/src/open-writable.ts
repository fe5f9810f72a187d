import type { Disk, DiskLock } from "@orthant/disk";
import { openSave, removeTemporaries, resumeSave, type Save, type SaveWriter } from "@orthant/save";
import { LOCK_FILE, type WorldOptions } from "./world-options.ts";
import { generatorsOf, settingOf, type WorldSetting } from "./world-setting.ts";

/** A save and everything needed to write to it. */
export interface WritableSave {
  readonly save: Save;
  readonly writer: SaveWriter;
  readonly lock: DiskLock;
  readonly setting: WorldSetting;
}

/** Locks a world and opens its save, with `newPack` for a new pack. Releases everything on failure. */
export async function openWritable(
  disk: Disk,
  options: WorldOptions,
  { newPack = false }: { readonly newPack?: boolean } = {},
): Promise<WritableSave> {
  const lock = await disk.lock(LOCK_FILE);
  let save: Save | undefined;
  try {
    if (lock.isContested) await removeTemporaries(disk);
    save = await openSave(disk, generatorsOf(options));
    // Before opening any file for writing: a world whose generator is unknown leaves nothing behind.
    const setting = settingOf(save.global, options);
    const { retention } = options;
    const writer = await resumeSave(disk, save, {
      ...generatorsOf(options),
      ...(retention && { retention }),
      lock,
      // The earlier holder of a contested lock may still append to its pack.
      newPack: newPack || lock.isContested,
    });
    return { save, writer, lock, setting };
  } catch (error) {
    await save?.close().catch(() => undefined);
    await lock.release();
    throw error;
  }
}
