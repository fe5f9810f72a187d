import { equal, ok } from "node:assert/strict";
import { isOrthantError } from "@orthant/core";
import type { Disk } from "@orthant/disk";
import { CrashDisk, explorePowerCuts, type Fault, FaultDisk, type PowerCutOptions } from "@orthant/testkit";
import { commitOnce, digestOfDisk, type History, playHistory } from "./save-history.ts";

/** What a proof looked at. */
export interface SaveProof {
  readonly disks: number;
  readonly cuts: number;
  /** How often a cut left the last generation that was acknowledged, and how often the one in flight. */
  readonly kept: number;
  readonly completed: number;
  readonly history: History;
}

/**
 * Plays a history, cuts the power at every operation, and throws unless each disk that is left holds the last
 * acknowledged generation or the one that was being committed, whole, and can be committed to again. With a
 * fault, both the history and the further commit are made by a writer that has it.
 */
export async function proveSave(
  steps: Parameters<typeof playHistory>[1],
  options: PowerCutOptions,
  fault?: Fault,
): Promise<SaveProof> {
  const wrap = (disk: Disk): Disk => (fault === undefined ? disk : new FaultDisk(disk, fault));
  const recorder = new CrashDisk();
  const acknowledgedAt: number[] = [];
  const history = await playHistory(wrap(recorder), steps, () => acknowledgedAt.push(recorder.log.length));
  let kept = 0;
  let completed = 0;
  const { disks, cuts } = await explorePowerCuts(recorder, options, async ({ disk, cutAt }) => {
    const acknowledged = acknowledgedAt.filter((length) => length <= cutAt).length;
    const found = await digestOrNothing(disk);
    if (found === undefined) {
      equal(acknowledged, 0, "an acknowledged save is gone");
      return;
    }
    const before = acknowledged > 0 && found === history.digests[acknowledged - 1];
    ok(
      before || found === history.digests[acknowledged],
      `neither generation ${acknowledged - 1} nor the next`,
    );
    if (before) kept++;
    else completed++;
    await commitOnce(wrap(disk));
    const after = await digestOfDisk(disk);
    ok(
      after !== found && found.split("\n").every((line) => after.includes(line)),
      "a further commit lost something",
    );
  });
  return { disks, cuts, kept, completed, history };
}

/** `undefined` when the disk has no manifest, as before the first commit. */
async function digestOrNothing(disk: Disk): Promise<string | undefined> {
  try {
    return await digestOfDisk(disk);
  } catch (error) {
    if (isOrthantError(error, "ORT_NOT_FOUND") && error.context.path === "manifest.json") return undefined;
    throw error;
  }
}
