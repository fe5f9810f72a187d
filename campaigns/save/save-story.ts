import { isOrthantError } from "@orthant/core";
import type { Disk } from "@orthant/disk";
import { type Mutant, mutant, type SavingStory } from "../proof/prove-history.ts";
import { FORGETFUL_WRITER, requireNamedPacks } from "./named-packs.ts";
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

/** Mutants that each omit one durability step of the writer everywhere. */
export const STEP_MUTANTS: readonly Mutant[] = [
  mutant("the sync of the packs", { operation: "sync", path: /^data\//, nth: 1, sticky: true }),
  mutant("the sync of an index or its root", {
    operation: "sync",
    path: /^index\/ix-main/,
    nth: 1,
    sticky: true,
  }),
  mutant("the sync of pages", { operation: "sync", path: /^index\/ix-\d/, nth: 1, sticky: true }),
  mutant("the sync of the global file", { operation: "sync", path: /^global/, nth: 1, sticky: true }),
  mutant("the sync of the players", { operation: "sync", path: /^players/, nth: 1, sticky: true }),
  mutant("the sync of the manifest", { operation: "sync", path: /^manifest/, nth: 1, sticky: true }),
  mutant("the sync of data/", { operation: "syncDirectory", path: /^data$/, nth: 1, sticky: true }),
  mutant("the sync of index/", { operation: "syncDirectory", path: /^index$/, nth: 1, sticky: true }),
  mutant("every sync of the root", { operation: "syncDirectory", path: /^$/, nth: 1, sticky: true }),
  ...["index/ix-main", "index/ix-\\d", "global", "players", "manifest"].map((name) =>
    mutant(`the removal of a stale temporary ${name}`, {
      operation: "remove",
      path: new RegExp(`^${name}.*\\.tmp$`),
      nth: 1,
      sticky: true,
    }),
  ),
  FORGETFUL_WRITER,
];
