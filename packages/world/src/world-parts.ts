import type { Disk, DiskLock } from "@orthant/disk";
import type { Save, SaveWriter } from "@orthant/save";
import type { WorldLog } from "./journal/world-log.ts";
import type { WorldContent } from "./world-content.ts";
import type { WorldSetting } from "./world-setting.ts";

/** What only the writer of a world has. */
export interface Writing {
  readonly writer: SaveWriter;
  readonly lock: DiskLock;
  /** `undefined` in a world whose changes become durable with the next save. */
  readonly journal: WorldLog | undefined;
}

/** The parts of a world, as `createWorld` and `openWorld` assemble them. */
export interface WorldParts extends Omit<WorldSetting, "field"> {
  readonly disk: Disk;
  readonly content: WorldContent;
  /** The epoch in which clocks are issued. Default: the next one. */
  readonly epoch?: number;
  /** `undefined` for a read-only world. */
  readonly writing: Writing | undefined;
}

/** Releases everything that a world holds, the lock last, even when a step fails. Throws the last failure. */
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
