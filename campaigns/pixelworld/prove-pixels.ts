import { deepEqual, equal, ok } from "node:assert/strict";
import { isOrthantError } from "@orthant/core";
import type { Disk } from "@orthant/disk";
import { isWhole, verifyPixelWorld } from "@orthant/formats";
import { CrashDisk, explorePowerCuts, type Fault, FaultDisk, type PowerCutOptions } from "@orthant/testkit";
import {
  commitPixelsOnce,
  digestOfPixels,
  PIXEL_FILE,
  type PixelHistory,
  type PixelHistoryPlan,
  playPixelHistory,
} from "./pixel-history.ts";

/** What a proof looked at. */
export interface PixelProof {
  readonly disks: number;
  readonly cuts: number;
  /** How often a cut left the last save that was acknowledged, and how often the one in flight. */
  readonly kept: number;
  readonly completed: number;
  readonly history: PixelHistory;
}

/**
 * Plays a history, cuts the power at every operation, and throws unless each disk that is left holds the last
 * acknowledged save or the one that was being made, whole, and can be saved to again. With a fault, the history is
 * written by a writer that has it.
 */
export async function provePixels(
  plan: PixelHistoryPlan,
  options: PowerCutOptions,
  fault?: Fault,
): Promise<PixelProof> {
  const wrap = (disk: Disk): Disk => (fault === undefined ? disk : new FaultDisk(disk, fault));
  const recorder = new CrashDisk();
  const acknowledgedAt: number[] = [];
  const history = await playPixelHistory(wrap(recorder), plan, () =>
    acknowledgedAt.push(recorder.log.length),
  );
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
    ok(before || found === history.digests[acknowledged], `neither save ${acknowledged - 1} nor the next`);
    if (before) kept++;
    else completed++;
    ok(isWhole(await verifyPixelWorld(disk, PIXEL_FILE)), "verify finds damage");
    await commitPixelsOnce(wrap(disk));
    const left = (await disk.list("")).map(({ name }) => name).filter((name) => name.endsWith(".tmp"));
    deepEqual(left, [], "what a crash left is still there");
    const after = await digestOfPixels(disk);
    ok(
      after !== found && found.split("\n").every((line) => after.includes(line)),
      "a further save lost something",
    );
  });
  return { disks, cuts, kept, completed, history };
}

/** `undefined` when there is no file, as before the world was made. */
async function digestOrNothing(disk: Disk): Promise<string | undefined> {
  try {
    return await digestOfPixels(disk);
  } catch (error) {
    if (isOrthantError(error, "ORT_NOT_FOUND")) return undefined;
    throw error;
  }
}
