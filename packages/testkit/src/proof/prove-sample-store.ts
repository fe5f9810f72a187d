import { deepStrictEqual } from "node:assert";
import type { Disk } from "@orthant/disk";
import { CrashDisk } from "../crash/crash-disk.ts";
import { explorePowerCuts, type PowerCutOptions, type Survivor } from "../crash/explore-power-cuts.ts";
import { type Fault, FaultDisk } from "../fault/fault-disk.ts";
import { commitValue, readValues } from "./sample-store.ts";

const VALUES: readonly number[] = [11, 22, 33];
const NEXT_VALUE = 44;

/** A durability step of the sample store that a mutant omits. */
export interface StoreMutant {
  readonly step: string;
  readonly fault: Fault;
}

/** All durability steps of the sample store. Without any one of them a power cut can lose a value. */
export const STORE_MUTANTS: readonly StoreMutant[] = [
  mutant("the sync of the new directory's name", { operation: "syncDirectory", path: /^$/, nth: 1 }),
  mutant("the cut of what a crash left behind", { operation: "truncate", nth: 1, sticky: true }),
  mutant("the first sync of the data", { operation: "sync", path: /values/, nth: 1 }),
  mutant("the last sync of the data", { operation: "sync", path: /values/, nth: 3 }),
  mutant("the sync of the data's name", { operation: "syncDirectory", path: /^data$/, nth: 1 }),
  mutant("the removal of a stale temporary file", { operation: "remove", nth: 1, sticky: true }),
  mutant("the first sync of the temporary file", { operation: "sync", path: /head/, nth: 1 }),
  mutant("the last sync of the temporary file", { operation: "sync", path: /head/, nth: 3 }),
  mutant("the sync of the first rename", { operation: "syncDirectory", path: /^$/, nth: 2 }),
  mutant("the sync of the last rename", { operation: "syncDirectory", path: /^$/, nth: 6 }),
];

/** What a proof checked, and the numbers of values that the disks held. */
export interface StoreProof {
  readonly disks: number;
  readonly distinct: number;
  readonly outcomes: ReadonlySet<number>;
}

/**
 * Commits three values to the sample store, cuts the power everywhere, and throws unless every remaining disk
 * has the acknowledged values, perhaps the value in flight, nothing else, and accepts another commit.
 */
export async function proveSampleStore(options: PowerCutOptions, fault?: Fault): Promise<StoreProof> {
  const wrap = (disk: Disk): Disk => (fault === undefined ? disk : new FaultDisk(disk, fault));
  const recorder = new CrashDisk();
  const acknowledgedAt = await recordCommits(recorder, wrap(recorder));
  const outcomes = new Set<number>();
  const acknowledgedBy = (cutAt: number): number => acknowledgedAt.filter((length) => length <= cutAt).length;
  const check = async ({ disk, cutAt }: Survivor): Promise<void> => {
    const acknowledged = acknowledgedBy(cutAt);
    const found = await readValues(disk);
    const whole = found.length === acknowledged || found.length === acknowledged + 1;
    deepStrictEqual(found, VALUES.slice(0, whole ? found.length : acknowledged));
    await commitValue(wrap(disk), NEXT_VALUE);
    deepStrictEqual(await readValues(disk), [...found, NEXT_VALUE]);
    outcomes.add(found.length);
  };
  const { disks, distinct } = await explorePowerCuts(recorder, options, check, (cutAt) =>
    String(acknowledgedBy(cutAt)),
  );
  return { disks, distinct, outcomes };
}

async function recordCommits(recorder: CrashDisk, disk: Disk): Promise<readonly number[]> {
  const acknowledgedAt: number[] = [];
  for (const value of VALUES) {
    await commitValue(disk, value);
    acknowledgedAt.push(recorder.log.length);
  }
  return acknowledgedAt;
}

function mutant(step: string, fault: Omit<Fault, "kind">): StoreMutant {
  return { step, fault: { ...fault, kind: "skip" } };
}
