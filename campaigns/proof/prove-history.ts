import { equal, ok } from "node:assert/strict";
import { hash } from "node:crypto";
import { type Disk, MemoryDisk } from "@orthant/disk";
import {
  CrashDisk,
  type DiskFault,
  explorePowerCuts,
  FaultDisk,
  type PowerCutOptions,
  type Survivor,
  WEAK,
} from "@orthant/testkit";

/** A history of saves to a store, for {@link proveHistory}. */
export interface SavingStory<History extends { readonly digests: readonly string[] }> {
  /** Creates a store and changes it. Calls `onSaved` after each acknowledged save. Returns their digests. */
  play(disk: Disk, onSaved: () => void): Promise<History>;
  /** Returns the store's content as lines, equal for equal content; `undefined` before its creation. */
  digest(disk: Disk): Promise<string | undefined>;
  /** Saves something new in an existing store. */
  saveOnce(disk: Disk): Promise<void>;
  /** Throws when a crash left something wrong, before or after the further save. */
  check?(disk: Disk, when: "found" | "saved"): Promise<void>;
}

type AnyStory = SavingStory<{ readonly digests: readonly string[] }>;

/** Counts of a proof. */
interface HistoryProof<History> {
  readonly disks: number;
  readonly distinct: number;
  readonly cuts: number;
  /** Number of cuts that left the last acknowledged save, and number that left the one in flight. */
  readonly kept: number;
  readonly completed: number;
  readonly history: History;
}

/**
 * Plays a history, cuts the power at every operation, and throws unless each surviving disk holds the last
 * acknowledged save or the one in flight, whole, and accepts a further save. With `mutant`, that faulty
 * writer makes both the history and the further save.
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

/** Creates a mutant for each single sync of a story, which it omits once. */
export function syncMutantsOf(story: AnyStory): Promise<readonly Mutant[]> {
  return singleSyncMutants((disk) => story.play(disk, () => undefined));
}

/** Returns whether the proof of a story detects that a step is missing. */
export function isCaught(story: AnyStory, mutant: Mutant, seed: number): Promise<boolean> {
  return isCaughtBy((options, writer) => proveHistory(story, options, writer), mutant, seed);
}

/** A writer that omits one durability step. */
export interface Mutant {
  readonly step: string;
  /** Wraps a disk so that its user behaves like this writer. */
  spoil(disk: Disk): Disk;
  /** True when the writer omits the step only once. */
  readonly isOnce: boolean;
}

/** Disks per cut when searching for one that exposes a mutant. */
const DISKS_PER_CUT = 60;

/** Creates a writer that skips the operation in `fault`. */
export function mutant(step: string, fault: Omit<DiskFault, "kind">): Mutant {
  const spoil = (disk: Disk): Disk => new FaultDisk(disk, { ...fault, kind: "skip" });
  return { step, spoil, isOnce: fault.sticky === false };
}

/** Creates a mutant for each single sync of a history, which it omits once. */
export async function singleSyncMutants(play: (disk: Disk) => Promise<unknown>): Promise<readonly Mutant[]> {
  const disk = new FaultDisk(new MemoryDisk());
  await play(disk);
  return (["sync", "syncDirectory"] as const).flatMap((operation) =>
    Array.from({ length: disk.calls.get(operation) ?? 0 }, (_, index) =>
      mutant(`${operation} number ${index + 1}`, { operation, nth: index + 1 }),
    ),
  );
}

/** Returns whether a proof detects that a step is missing. */
export function isCaughtBy(
  prove: (options: PowerCutOptions, mutant: Mutant) => Promise<unknown>,
  writer: Mutant,
  seed: number,
  disksPerCut: number = DISKS_PER_CUT,
): Promise<boolean> {
  return prove({ models: [WEAK], disksPerCut, seed }, writer).then(
    () => false,
    () => true,
  );
}

/** Returns a short text that is equal for equal expectations of a disk, for `explorePowerCuts`. */
export function fingerprintOf(...expected: readonly unknown[]): string {
  return hash("sha256", JSON.stringify(expected), "base64url");
}
