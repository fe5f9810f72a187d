import { type Disk, MemoryDisk } from "@orthant/disk";
import { type DiskFault, FaultDisk, type PowerCutOptions, WEAK } from "@orthant/testkit";

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
