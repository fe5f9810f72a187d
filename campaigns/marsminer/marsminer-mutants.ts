import { MemoryDisk } from "@orthant/disk";
import { type Fault, FaultDisk, WEAK } from "@orthant/testkit";
import type { Mutant } from "../power-cuts.ts";
import { playHistory, SHORT_HISTORY } from "./marsminer-history.ts";
import { proveMarsMiner } from "./prove-marsminer.ts";

/** Cuts are searched this widely for one that shows the mutant. */
const DISKS_PER_CUT = 60;

/** Each step of the writer's source, left out wherever it is made. */
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

/** Each single sync of a short history, left out once. */
export async function singleSyncMutants(): Promise<readonly Mutant[]> {
  const disk = new FaultDisk(new MemoryDisk());
  await playHistory(disk, SHORT_HISTORY, () => undefined);
  return (["sync", "syncDirectory"] as const).flatMap((operation) =>
    Array.from({ length: disk.calls.get(operation) ?? 0 }, (_, index) =>
      mutant(`${operation} number ${index + 1}`, { operation, nth: index + 1 }),
    ),
  );
}

/** Whether the proof notices that a step is missing. */
export async function isCaught({ fault }: Mutant, seed: number): Promise<boolean> {
  return proveMarsMiner(SHORT_HISTORY, { models: [WEAK], disksPerCut: DISKS_PER_CUT, seed }, fault).then(
    () => false,
    () => true,
  );
}

function mutant(step: string, fault: Omit<Fault, "kind">): Mutant {
  return { step, fault: { ...fault, kind: "skip" } };
}
