import { isOrthantError } from "@orthant/core";
import type { Disk } from "@orthant/disk";
import { openSave, surveySave } from "@orthant/formats";
import { openSaveWithJournal, type Retention, type SaveWithJournal } from "@orthant/world";
import { requireKept } from "./found-world.ts";

/** For commands that use an older state: opening a world may save it, which must not retire that state first. */
export const KEEP_EVERY_GENERATION: Retention = { newest: 100_000, hours: 0, days: 0 };

/** A writer commits far less often than this many times while a reader opens three files. */
const ATTEMPTS_MAX = 5;

/** The live generation of the world on a disk; `undefined` when its manifest cannot be read. */
export async function liveGeneration(disk: Disk): Promise<number | undefined> {
  return (await surveySave(disk)).manifest?.manifest.currentGeneration;
}

/**
 * Does what needs all files of the live generation. A writer may commit and retire them meanwhile: a failure, or a
 * result that is not wanted, counts only if the live generation is still the same, and else it is done again.
 */
export async function whileLive<Value>(
  disk: Disk,
  work: () => Promise<Value>,
  isWanted: (value: Value) => boolean = () => true,
): Promise<Value> {
  for (let attempt = 1; ; attempt++) {
    const before = await liveGeneration(disk);
    const isFinal = async (): Promise<boolean> =>
      attempt === ATTEMPTS_MAX || (await liveGeneration(disk)) === before;
    try {
      const value = await work();
      if (isWanted(value) || (await isFinal())) return value;
    } catch (error) {
      if (!isOrthantError(error) || (await isFinal())) throw error;
    }
  }
}

/** Opens a world as it is now, also beside a writer: the live generation, and what its journal has since then. */
export function openLiveSave(disk: Disk): Promise<SaveWithJournal> {
  return whileLive(disk, () => openSaveWithJournal(disk));
}

/** Opens the generation that was asked for, `ORT_NOT_FOUND` when it is not there; or else the world as it is now. */
export async function openAskedSave(disk: Disk, generation: number | undefined): Promise<SaveWithJournal> {
  if (generation === undefined) return openLiveSave(disk);
  await requireKept(disk, generation);
  const journal = { changes: 0, replayed: 0, bytes: 0, loss: undefined };
  return { save: await openSave(disk, { generation }), disk, generation, journal };
}
