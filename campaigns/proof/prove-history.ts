import { equal, ok } from "node:assert/strict";
import type { Disk } from "@orthant/disk";
import { CrashDisk, explorePowerCuts, type PowerCutOptions, type Survivor } from "@orthant/testkit";
import { fingerprintOf } from "./fingerprint.ts";
import { isCaughtBy, type Mutant, singleSyncMutants } from "./mutants.ts";

/** Something that saves, so that it can be proven. */
export interface SavingStory<History extends { readonly digests: readonly string[] }> {
  /** Makes a store and changes it; `onSaved` is called when each save is acknowledged. Gives what each of them held. */
  play(disk: Disk, onSaved: () => void): Promise<History>;
  /** Everything in the store, as lines that are the same for the same content; `undefined` before it was made. */
  digest(disk: Disk): Promise<string | undefined>;
  /** Saves something new in a store that is there. */
  saveOnce(disk: Disk): Promise<void>;
  /** Throws when a crash left something that should not be there, before or after the further save. */
  check?(disk: Disk, when: "found" | "saved"): Promise<void>;
}

type AnyStory = SavingStory<{ readonly digests: readonly string[] }>;

/** What a proof looked at. */
export interface HistoryProof<History> {
  readonly disks: number;
  readonly distinct: number;
  readonly cuts: number;
  /** How often a cut left the last save that was acknowledged, and how often the one in flight. */
  readonly kept: number;
  readonly completed: number;
  readonly history: History;
}

/**
 * Plays a history, cuts the power at every operation, and throws unless each disk that is left holds the last
 * acknowledged save or the one that was being made, whole, and can be saved to again. With a mutant, both the
 * history and the further save are made by that writer.
 */
export async function proveHistory<History extends { readonly digests: readonly string[] }>(
  story: SavingStory<History>,
  options: PowerCutOptions,
  mutant?: Mutant,
): Promise<HistoryProof<History>> {
  const wrap = (disk: Disk): Disk => mutant?.spoil(disk) ?? disk;
  const recorder = new CrashDisk();
  const acknowledgedAt: number[] = [];
  const history = await story.play(wrap(recorder), () => acknowledgedAt.push(recorder.log.length));
  let kept = 0;
  let completed = 0;
  const acknowledgedBy = (cutAt: number): number => acknowledgedAt.filter((length) => length <= cutAt).length;
  const check = async ({ disk, cutAt }: Survivor): Promise<void> => {
    const acknowledged = acknowledgedBy(cutAt);
    const found = await story.digest(disk);
    if (found === undefined) {
      equal(acknowledged, 0, "an acknowledged save is gone");
      return;
    }
    const before = acknowledged > 0 && found === history.digests[acknowledged - 1];
    ok(before || found === history.digests[acknowledged], `neither save ${acknowledged - 1} nor the next`);
    if (before) kept++;
    else completed++;
    await story.check?.(disk, "found");
    await story.saveOnce(wrap(disk));
    await story.check?.(disk, "saved");
    const after = (await story.digest(disk)) ?? "";
    ok(
      after !== found && found.split("\n").every((line) => after.includes(line)),
      "a further save lost something",
    );
  };
  const report = await explorePowerCuts(recorder, options, check, (cutAt) => {
    const acknowledged = acknowledgedBy(cutAt);
    return fingerprintOf(acknowledged, history.digests[acknowledged - 1], history.digests[acknowledged]);
  });
  return { ...report, kept, completed, history };
}

/** Each single sync of a story, left out once. */
export function syncMutantsOf(story: AnyStory): Promise<readonly Mutant[]> {
  return singleSyncMutants((disk) => story.play(disk, () => undefined));
}

/** Whether the proof of a story notices that a step is missing. */
export function isCaught(story: AnyStory, mutant: Mutant, seed: number): Promise<boolean> {
  return isCaughtBy((options, writer) => proveHistory(story, options, writer), mutant, seed);
}
