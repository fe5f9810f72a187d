import { MemoryDisk } from "@orthant/disk";
import { type Fault, FaultDisk, WEAK } from "@orthant/testkit";
import { playPixelHistory, SHORT_PIXEL_HISTORY } from "./pixel-history.ts";
import { provePixels } from "./prove-pixels.ts";

/** A durability step of the writer that a mutant leaves out. */
export interface PixelMutant {
  readonly step: string;
  readonly fault: Fault;
}

const DISKS_PER_CUT = 60;

/** Each step of the writer's source, left out wherever it is made. */
export const PIXEL_STEP_MUTANTS: readonly PixelMutant[] = [
  mutant("both syncs of a save", { operation: "sync", path: /^world\.pxsw$/, nth: 1, sticky: true }),
  mutant("the sync of a new file", { operation: "sync", path: /^world\.pxsw\.tmp$/, nth: 1, sticky: true }),
  mutant("the sync of the folder", { operation: "syncDirectory", path: /^$/, nth: 1, sticky: true }),
  mutant("the removal of an unfinished file", { operation: "remove", path: /\.tmp$/, nth: 1, sticky: true }),
  mutant("the cut behind the last save", {
    operation: "truncate",
    path: /^world\.pxsw$/,
    nth: 1,
    sticky: true,
  }),
];

/** Each single sync of a short history, left out once. */
export async function singlePixelSyncs(): Promise<readonly PixelMutant[]> {
  const disk = new FaultDisk(new MemoryDisk());
  await playPixelHistory(disk, SHORT_PIXEL_HISTORY, () => undefined);
  return (["sync", "syncDirectory"] as const).flatMap((operation) =>
    Array.from({ length: disk.calls.get(operation) ?? 0 }, (_, index) =>
      mutant(`${operation} number ${index + 1}`, { operation, nth: index + 1 }),
    ),
  );
}

/** Whether the proof notices that a step is missing. */
export async function isPixelMutantCaught({ fault }: PixelMutant, seed: number): Promise<boolean> {
  return provePixels(SHORT_PIXEL_HISTORY, { models: [WEAK], disksPerCut: DISKS_PER_CUT, seed }, fault).then(
    () => false,
    () => true,
  );
}

function mutant(step: string, fault: Omit<Fault, "kind">): PixelMutant {
  return { step, fault: { ...fault, kind: "skip" } };
}
