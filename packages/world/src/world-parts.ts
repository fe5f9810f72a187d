import type { Disk, DiskLock } from "@orthant/disk";
import type { Save, SaveWriter } from "@orthant/formats";
import type { WorldLog } from "./journal/world-log.ts";
import type { WorldContent } from "./world-content.ts";
import type { WorldSetting } from "./world-setting.ts";

/** What only the one writer of a world has. */
export interface Writing {
  readonly writer: SaveWriter;
  readonly lock: DiskLock;
  /** `undefined` where a change is durable with the next save. */
  readonly journal: WorldLog | undefined;
}

/** All that makes a world, as `createWorld` and `openWorld` put it together. */
export interface WorldParts extends Omit<WorldSetting, "field"> {
  readonly disk: Disk;
  readonly content: WorldContent;
  /** The epoch in which clocks are issued; the next one when it is left out. */
  readonly epoch?: number;
  /** `undefined` when the world is open to be read only. */
  readonly writing: Writing | undefined;
}

/** Lets go of all that a world holds, the lock last, whatever becomes of the rest; throws the first failure. */
export async function releaseParts(
  save: Save,
  writing: Pick<Writing, "writer" | "lock"> | undefined,
): Promise<void> {
  try {
    await save.close();
  } finally {
    try {
      await writing?.writer.close();
    } finally {
      await writing?.lock.release();
    }
  }
}
