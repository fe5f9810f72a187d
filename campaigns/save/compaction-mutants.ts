import { MemoryDisk } from "@orthant/disk";
import { type Fault, FaultDisk, type FaultyOperation, WEAK } from "@orthant/testkit";
import { CompactionPlayer } from "./compaction-history.ts";
import { type HistoryLength, proveCompaction } from "./prove-compaction.ts";

/** A step of a compaction that a mutant leaves out. */
export interface CompactionMutant {
  readonly step: string;
  readonly fault: Fault;
}

/** The last commit is followed by a compaction. */
const LENGTH: HistoryLength = { before: 8, commits: 1 };
const DISKS_PER_CUT = 12;

/** Each step of the source, left out wherever it is made. */
export const COMPACTION_MUTANTS: readonly CompactionMutant[] = [
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
];

/** Each single sync that a compaction in a short history makes, left out once. */
export async function singleCompactionMutants(): Promise<readonly CompactionMutant[]> {
  const mutants: CompactionMutant[] = [];
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

/** Whether the proof notices that a step is missing. */
export async function isCaught({ fault }: CompactionMutant, seed: number): Promise<boolean> {
  return proveCompaction(LENGTH, { models: [WEAK], disksPerCut: DISKS_PER_CUT, seed }, fault).then(
    () => false,
    () => true,
  );
}

function mutant(step: string, fault: Omit<Fault, "kind">): CompactionMutant {
  return { step, fault: { ...fault, kind: "skip" } };
}
