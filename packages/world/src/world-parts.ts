import type { Clock, MaterialCatalog, WorldField } from "@orthant/core";
import type { Disk, DiskLock } from "@orthant/disk";
import type { Save, SaveWriter } from "@orthant/formats";
import type { WorldLog } from "./journal/world-log.ts";
import type { WorldContent } from "./world-content.ts";

/** What only the one writer of a world has. */
export interface Writing {
  readonly writer: SaveWriter;
  readonly lock: DiskLock;
  /** `undefined` where a change is durable with the next save. */
  readonly journal: WorldLog | undefined;
}

/** What a world is made of beside its save. */
export interface WorldSetting extends Omit<WorldParts, "disk" | "content" | "writing"> {
  readonly field: WorldField;
}

/** All that makes a world, as `createWorld` and `openWorld` put it together. */
export interface WorldParts {
  readonly disk: Disk;
  readonly clock: Clock;
  readonly content: WorldContent;
  readonly catalog: MaterialCatalog;
  readonly autosave: boolean;
  /** 64 random bits. */
  readonly random: () => bigint;
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
