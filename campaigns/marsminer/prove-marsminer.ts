import { deepEqual, equal, ok } from "node:assert/strict";
import { isOrthantError } from "@orthant/core";
import type { Disk } from "@orthant/disk";
import { createMarsMiner, openMarsMiner, verifyMarsMiner } from "@orthant/formats";
import { CrashDisk, explorePowerCuts, type PowerCutOptions, type Survivor } from "@orthant/testkit";
import { fingerprintOf, isCaughtBy, type Mutant, mutant, singleSyncMutants } from "../proof/prove-history.ts";
import {
  commitOnce,
  digestOf,
  type History,
  headOf,
  headOfDigest,
  NEVER_SAVED,
  playHistory,
  SHORT_HISTORY,
} from "./marsminer-history.ts";

/** Counts of a proof. */
interface MarsMinerProof {
  readonly disks: number;
  readonly distinct: number;
  readonly cuts: number;
  /** Number of cuts that left the last acknowledged state, and number that left the one in flight. */
  readonly kept: number;
  readonly completed: number;
  readonly history: History;
}

/**
 * Plays a history, cuts the power at every operation, and throws unless each surviving disk holds the last
 * acknowledged state or the one in flight, whole and of the right dialect, still has every earlier state, and
 * accepts a further commit. With `mutant`, that faulty writer does all of this.
 */
export async function proveMarsMiner(
  steps: Parameters<typeof playHistory>[1],
  options: PowerCutOptions,
  mutant?: Mutant,
): Promise<MarsMinerProof> {
  const wrap = (disk: Disk): Disk => mutant?.spoil(disk) ?? disk;
  const recorder = new CrashDisk();
  const acknowledgedAt: number[] = [];
  const history = await playHistory(wrap(recorder), steps, () => acknowledgedAt.push(recorder.log.length));
  let kept = 0;
  let completed = 0;
  const acknowledgedBy = (cutAt: number): number => acknowledgedAt.filter((length) => length <= cutAt).length;
  const check = async ({ disk, cutAt }: Survivor): Promise<void> => {
    const acknowledged = acknowledgedBy(cutAt);
    if (acknowledged === 0) {
      // After an interrupted creation, the save can be created again.
      await (await createMarsMiner(wrap(disk))).close();
      equal((await digestsOf(disk))[0], NEVER_SAVED);
      return;
    }
    const [found = "", ...older] = await digestsOf(disk);
    const at = found === history.digests[acknowledged] ? acknowledged : acknowledged - 1;
    equal(found, history.digests[at], `neither state ${acknowledged - 1} nor the next`);
    if (at < acknowledged) kept++;
    else completed++;
    const before = history.digests.slice(1, at).reverse();
    ok(
      before.every((state) => older.includes(headOfDigest(state))),
      "an older state is gone",
    );
    await commitOnce(wrap(disk));
    const [after = "", ...rest] = await digestsOf(disk);
    const committed = found === NEVER_SAVED ? before : [found, ...before];
    ok(
      linesOf(committed[0] ?? "").every((line) => after.includes(line)),
      "a further commit lost something",
    );
    // A state in flight may be there too, if all of its blocks had reached the disk.
    ok(
      committed.every((state) => rest.includes(headOfDigest(state))),
      "a further commit lost a state",
    );
  };
  const report = await explorePowerCuts(recorder, options, check, (cutAt) => {
    const acknowledged = acknowledgedBy(cutAt);
    return fingerprintOf(acknowledged, history.digests.slice(0, acknowledged + 1));
  });
  return { ...report, kept, completed, history };
}

/**
 * Returns the digest of the present state, then the heads of older states, newest first. Newer states never
 * counted and are left out. Finding a state means that all of its blocks are intact.
 */
async function digestsOf(disk: Disk): Promise<readonly string[]> {
  const save = await openMarsMiner(disk);
  try {
    ok(save.fittingDialects.includes("draft"), `taken for ${save.fittingDialects.join()}`);
    const findings = await verifyMarsMiner(disk, { dialect: "draft" });
    deepEqual(
      findings.filter(({ severity }) => severity === "damage"),
      [],
    );
    const states = await save.findStates();
    const older = states.filter(({ ticks }) => save.state !== undefined && ticks < save.state.ticks);
    return [await digestOf(save), ...older.map(headOf)];
  } catch (error) {
    throw isOrthantError(error) ? new Error(`cannot be read: ${error.message}`, { cause: error }) : error;
  } finally {
    await save.close();
  }
}

function linesOf(digest: string): readonly string[] {
  return digest.split("\n").slice(1);
}

/** Mutants that each omit one durability step of the writer everywhere. */
export const STEP_MUTANTS: readonly Mutant[] = [
  mutant("the sync of the blobs", { operation: "sync", path: /^blob/, nth: 1, sticky: true }),
  mutant("the sync of blobs behind the first", {
    operation: "sync",
    path: /^blob[1-9]/,
    nth: 1,
    sticky: true,
  }),
  mutant("the sync of the strings", { operation: "sync", path: /^strings$/, nth: 1, sticky: true }),
  mutant("the sync of the pointers", { operation: "sync", path: /^pointers$/, nth: 1, sticky: true }),
  mutant("the sync of the folder", { operation: "syncDirectory", nth: 1, sticky: true }),
];

/** Creates a mutant for each single sync of the short history, which it omits once. */
export function syncMutants(): Promise<readonly Mutant[]> {
  return singleSyncMutants((disk) => playHistory(disk, SHORT_HISTORY, () => undefined));
}

/** Returns whether the proof detects that a step is missing. */
export function isCaught(writer: Mutant, seed: number): Promise<boolean> {
  return isCaughtBy((options, mutant) => proveMarsMiner(SHORT_HISTORY, options, mutant), writer, seed);
}
