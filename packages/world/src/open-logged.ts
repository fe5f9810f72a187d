import type { Disk } from "@orthant/disk";
import { openSave, resumeSave } from "@orthant/formats";
import { replayLog } from "./journal/replay-log.ts";
import type { OutsideLog } from "./journal/world-log.ts";
import { World } from "./world.ts";
import { LOCK_FILE, type WorldOptions } from "./world-options.ts";
import { releaseParts } from "./world-parts.ts";
import { contentOf, generatorsOf, settingOf } from "./world-setting.ts";

/**
 * Opens a world for writing whose changes are logged elsewhere. What the log has is made again and saved, under the
 * epoch of the log, before anybody sees the world. It writes to no pack that an earlier owner may still have open.
 */
export async function openLoggedWorld(
  disk: Disk,
  log: OutsideLog,
  options: WorldOptions = {},
): Promise<World> {
  const lock = await disk.lock(LOCK_FILE);
  let world: World | undefined;
  try {
    const save = await openSave(disk, generatorsOf(options));
    const { field, ...parts } = settingOf(save.global, options);
    const { retention } = options;
    const writer = await resumeSave(disk, save, {
      ...generatorsOf(options),
      ...(retention && { retention }),
      newPack: true,
    });
    const content = contentOf(save, field, options);
    try {
      await replayLog(content, log.recover(content.global.description));
    } catch (error) {
      await releaseParts(save, { writer, lock });
      throw error;
    }
    const { epoch } = log;
    world = new World({ ...parts, disk, content, epoch, writing: { writer, lock, journal: log } });
    await world.openEra();
    return world;
  } catch (error) {
    if (world === undefined) await lock.release();
    else await world.close().catch(() => undefined);
    throw error;
  }
}
