import { isOrthantError } from "@orthant/core";
import type { Disk } from "@orthant/disk";
import type { SavingStory } from "../proof/prove-history.ts";
import { requireNamedPacks } from "./named-packs.ts";
import { commitOnce, digestOfDisk, type History, playHistory } from "./save-history.ts";

/** Adapts a history of the native save for `proveHistory`. */
export function saveStory(steps: Parameters<typeof playHistory>[1]): SavingStory<History> {
  return {
    play: (disk, onSaved) => playHistory(disk, steps, onSaved),
    digest: digestOrNothing,
    saveOnce: commitOnce,
    check: requireNamedPacks,
  };
}

/** Returns `undefined` when the disk has no manifest, as before the first commit. */
async function digestOrNothing(disk: Disk): Promise<string | undefined> {
  try {
    return await digestOfDisk(disk);
  } catch (error) {
    if (isOrthantError(error, "ORT_NOT_FOUND") && error.context.path === "manifest.json") return undefined;
    throw error;
  }
}
