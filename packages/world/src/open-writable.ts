import type { Disk, DiskLock } from "@orthant/disk";
import { openSave, removeTemporaries, resumeSave, type Save, type SaveWriter } from "@orthant/formats";
import { LOCK_FILE, type WorldOptions } from "./world-options.ts";
import { generatorsOf, settingOf, type WorldSetting } from "./world-setting.ts";

/** A save with all that it takes to write to it. */
export interface WritableSave {
  readonly save: Save;
  readonly writer: SaveWriter;
  readonly lock: DiskLock;
  readonly setting: WorldSetting;
}

/**
 * Takes the lock of a world and opens its save for writing; with `newPack` it writes to no pack that is there. Lets go
 * of everything when that fails.
 */
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
    // Before any file is opened to write: a world whose generator is unknown leaves nothing behind.
    const setting = settingOf(save.global, options);
    const { retention } = options;
    const writer = await resumeSave(disk, save, {
      ...generatorsOf(options),
      ...(retention && { retention }),
      lock,
      // The earlier holder of a contested lock may still append to the pack that it wrote to.
      newPack: newPack || lock.isContested,
    });
    return { save, writer, lock, setting };
  } catch (error) {
    await save?.close().catch(() => undefined);
    await lock.release();
    throw error;
  }
}
