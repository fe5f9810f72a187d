import { type Disk, MemoryDisk } from "@orthant/disk";
import { type Fault, FaultDisk, type PowerCutOptions, WEAK } from "@orthant/testkit";

/** A writer with one durability step left out. */
export interface Mutant {
  readonly step: string;
  /** The disk as that writer would use it. */
  spoil(disk: Disk): Disk;
  /** Whether the step is left out once, and made from then on. */
  readonly isOnce: boolean;
}

/** Cuts are searched this widely for one that shows a mutant. */
const DISKS_PER_CUT = 60;

/** A writer without a step. */
export function mutant(step: string, fault: Omit<Fault, "kind">): Mutant {
  const spoil = (disk: Disk): Disk => new FaultDisk(disk, { ...fault, kind: "skip" });
  return { step, spoil, isOnce: fault.sticky === false };
}

/** Each single sync of a history, left out once. */
export async function singleSyncMutants(play: (disk: Disk) => Promise<unknown>): Promise<readonly Mutant[]> {
  const disk = new FaultDisk(new MemoryDisk());
  await play(disk);
  return (["sync", "syncDirectory"] as const).flatMap((operation) =>
    Array.from({ length: disk.calls.get(operation) ?? 0 }, (_, index) =>
      mutant(`${operation} number ${index + 1}`, { operation, nth: index + 1 }),
    ),
  );
}

/** Whether a proof notices that a step is missing. */
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
