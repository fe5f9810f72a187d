import { MemoryDisk } from "@orthant/disk";
import { type Fault, FaultDisk, WEAK } from "@orthant/testkit";
import { proveSave } from "./prove-save.ts";
import { playHistory, SHORT_HISTORY } from "./save-history.ts";

/** A durability step of the writer that a mutant leaves out. */
export interface SaveMutant {
  readonly step: string;
  readonly fault: Fault;
}

/** Cuts are searched this widely for one that shows the mutant. */
const DISKS_PER_CUT = 60;

/** Each step of the writer's source, left out wherever it is made. */
export const STEP_MUTANTS: readonly SaveMutant[] = [
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
];

/** Each single sync of a short history, left out once. */
export async function singleSyncMutants(): Promise<readonly SaveMutant[]> {
  const disk = new FaultDisk(new MemoryDisk());
  await playHistory(disk, SHORT_HISTORY, () => undefined);
  return (["sync", "syncDirectory"] as const).flatMap((operation) =>
    Array.from({ length: disk.calls.get(operation) ?? 0 }, (_, index) =>
      mutant(`${operation} number ${index + 1}`, { operation, nth: index + 1 }),
    ),
  );
}

/** Whether the proof notices that a step is missing. */
export async function isCaught({ fault }: SaveMutant, seed: number): Promise<boolean> {
  return proveSave(SHORT_HISTORY, { models: [WEAK], disksPerCut: DISKS_PER_CUT, seed }, fault).then(
    () => false,
    () => true,
  );
}

function mutant(step: string, fault: Omit<Fault, "kind">): SaveMutant {
  return { step, fault: { ...fault, kind: "skip" } };
}
