import type { Disk } from "@orthant/disk";
import { replayLog } from "./journal/replay-log.ts";
import type { ExternalLog } from "./journal/world-log.ts";
import { openWritable } from "./open-writable.ts";
import { World } from "./world.ts";
import type { WorldOptions } from "./world-options.ts";
import { releaseParts } from "./world-parts.ts";
import { contentOf } from "./world-setting.ts";

/**
 * Opens a world for writing whose changes are logged elsewhere. Replays the log and saves the result under
 * the log's epoch before returning. Does not write to any pack that an earlier owner may still have open.
 */
export async function openLoggedWorld(
  disk: Disk,
  log: ExternalLog,
  options: WorldOptions = {},
): Promise<World> {
  const { save, writer, lock, setting } = await openWritable(disk, options, { newPack: true });
  const { field, ...parts } = setting;
  let world: World | undefined;
  try {
    const content = contentOf(save, field, options);
    await replayLog(content, log.recover(content.global.description));
    const { epoch } = log;
    world = new World({ ...parts, disk, content, epoch, writing: { writer, lock, journal: log } });
    await world.openEpoch();
    await lock.settle();
    return world;
  } catch (error) {
    if (world === undefined) await releaseParts(save, { writer, lock });
    else await world.close().catch(() => undefined);
    throw error;
  }
}
