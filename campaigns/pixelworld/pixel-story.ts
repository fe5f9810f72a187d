import { deepEqual, ok } from "node:assert/strict";
import { isOrthantError } from "@orthant/core";
import type { Disk } from "@orthant/disk";
import { isWhole } from "@orthant/disk/files";
import { verifyPixelWorld } from "@orthant/pixel-world";
import { type Mutant, mutant, type SavingStory } from "../proof/prove-history.ts";
import {
  commitPixelsOnce,
  digestOfPixels,
  PIXEL_FILE,
  type PixelHistory,
  type PixelHistoryPlan,
  playPixelHistory,
} from "./pixel-history.ts";

/** Adapts a history of a pixel world for `proveHistory`. */
export function pixelStory(plan: PixelHistoryPlan): SavingStory<PixelHistory> {
  return {
    play: (disk, onSaved) => playPixelHistory(disk, plan, onSaved),
    digest: digestOrNothing,
    saveOnce: commitPixelsOnce,
    async check(disk, when) {
      ok(isWhole(await verifyPixelWorld(disk, PIXEL_FILE)), "verify finds damage");
      if (when === "found") return;
      const names = (await disk.list("")).map(({ name }) => name);
      deepEqual(
        names.filter((name) => name.endsWith(".tmp")),
        [],
        "what a crash left is still there",
      );
    },
  };
}

/** Returns `undefined` when there is no file, as before the world was created. */
async function digestOrNothing(disk: Disk): Promise<string | undefined> {
  try {
    return await digestOfPixels(disk);
  } catch (error) {
    if (isOrthantError(error, "ORT_NOT_FOUND")) return undefined;
    throw error;
  }
}

/** Mutants that each omit one durability step of the writer everywhere. */
export const PIXEL_STEP_MUTANTS: readonly Mutant[] = [
  mutant("both syncs of a save", { operation: "sync", path: /^world\.pxsw$/, nth: 1, sticky: true }),
  mutant("the sync of a new file", {
    operation: "sync",
    path: /^world\.pxsw\..*\.tmp$/,
    nth: 1,
    sticky: true,
  }),
  mutant("the sync of the folder", { operation: "syncDirectory", path: /^$/, nth: 1, sticky: true }),
  mutant("the removal of an unfinished file", { operation: "remove", path: /\.tmp$/, nth: 1, sticky: true }),
  mutant("the cut behind the last save", {
    operation: "truncate",
    path: /^world\.pxsw$/,
    nth: 1,
    sticky: true,
  }),
];
