import { MemoryDisk } from "@orthant/disk";
import { FaultDisk, type FaultyOperation } from "@orthant/testkit";
import { isCaughtBy, type Mutant, mutant } from "../proof/mutants.ts";
import { CompactionPlayer } from "./compaction-history.ts";
import { FORGETFUL_WRITER } from "./named-packs.ts";
import { type HistoryLength, proveCompaction } from "./prove-compaction.ts";

/** A compaction follows the last commit. */
const LENGTH: HistoryLength = { before: 8, commits: 1 };
/** Here the compaction also removes a pack. */
const REMOVING: HistoryLength = { before: 20, commits: 1 };
const DISKS_PER_CUT = 12;

/** Omit the steps before a pack is removed. The commit before that takes the same steps for its manifest. */
const REMOVAL_MUTANTS: readonly Mutant[] = [
  mutant("the manifest without a pack that it removes", {
    operation: "rename",
    path: /^manifest/,
    nth: 2,
    sticky: false,
  }),
  mutant("the sync of the manifest without a pack that it removes", {
    operation: "sync",
    path: /^manifest/,
    nth: 2,
    sticky: false,
  }),
  mutant("the sync of the folder between that manifest and the removal", {
    operation: "syncDirectory",
    path: /^$/,
    nth: 3,
    sticky: false,
  }),
];

/** Mutants that each omit one durability step of compaction. */
export const COMPACTION_MUTANTS: readonly Mutant[] = [
  mutant("the sync of the rewritten pack", {
    operation: "sync",
    path: /^data\/.*\.tmp$/,
    nth: 1,
    sticky: true,
  }),
  mutant("the removal of a stale temporary pack", {
    operation: "remove",
    path: /^data\/.*\.tmp$/,
    nth: 1,
    sticky: true,
  }),
  ...REMOVAL_MUTANTS,
  FORGETFUL_WRITER,
];

/** Creates a mutant for each single sync of the compaction in a short history, which it omits once. */
export async function singleCompactionMutants(): Promise<readonly Mutant[]> {
  const mutants: Mutant[] = [];
  const player = new CompactionPlayer();
  const start = new MemoryDisk();
  await player.play(start, LENGTH.before, () => undefined);
  const disk = new FaultDisk(start);
  let before = new Map<FaultyOperation, number>();
  await player.play(disk, LENGTH.commits, ({ kind }) => {
    for (const operation of ["sync", "syncDirectory"] as const) {
      const [from, to] = [before.get(operation) ?? 0, disk.calls.get(operation) ?? 0];
      for (let nth = from + 1; kind === "compaction" && nth <= to; nth++) {
        mutants.push(mutant(`${operation} number ${nth}`, { operation, nth, sticky: false }));
      }
    }
    before = new Map(disk.calls);
  });
  return mutants;
}

/** Returns whether the proof detects that a step is missing. */
export function isCaught(compaction: Mutant, seed: number): Promise<boolean> {
  const length = REMOVAL_MUTANTS.includes(compaction) ? REMOVING : LENGTH;
  return isCaughtBy(
    (options, writer) => proveCompaction(length, options, writer),
    compaction,
    seed,
    DISKS_PER_CUT,
  );
}
