import { deepStrictEqual } from "node:assert";
import { isOrthantError, OrthantError } from "@orthant/core";
import { crc32, decode, encode, struct, u32 } from "@orthant/core/bytes";
import type { Disk } from "@orthant/disk";
import { CrashDisk } from "./crash/crash-disk.ts";
import { explorePowerCuts, type PowerCutOptions, type Survivor } from "./crash/explore-power-cuts.ts";
import { type DiskFault, FaultDisk } from "./fault-disk.ts";

/**
 * The smallest possible store that is still safe: values are appended to `data/values`, and `head` says how
 * many bytes of it are valid. It exists to prove the crash simulator: each of its durability steps is needed.
 */
const head = struct({ bytes: u32, valuesCrc: u32, headCrc: u32 });

/** Adds a one-byte value and resolves when it is durable. */
export async function commitValue(disk: Disk, value: number): Promise<void> {
  const before = await readValues(disk);
  const values = Uint8Array.of(...before, value);
  await appendValue(disk, before.length, value);
  await disk.remove("head.tmp");
  const temporary = await disk.open("head.tmp", "create");
  await temporary.append(encodeHead(values));
  await temporary.sync();
  await temporary.close();
  await disk.rename("head.tmp", "head");
  await disk.syncDirectory("");
}

/** Returns all values of the last commit. Throws when a required file is missing or damaged. */
export async function readValues(disk: Disk): Promise<readonly number[]> {
  const headBytes = await readAll(disk, "head");
  if (headBytes === undefined) return [];
  const { bytes, valuesCrc, headCrc } = decode(head, headBytes);
  if (headCrc !== crc32(headBytes.subarray(0, head.offsets.headCrc))) throw damaged("head");
  const values = (await readAll(disk, "data/values"))?.subarray(0, bytes);
  if (values?.length !== bytes || crc32(values) !== valuesCrc) throw damaged("data/values");
  return [...values];
}

async function appendValue(disk: Disk, committed: number, value: number): Promise<void> {
  await disk.makeDirectory("data");
  await disk.syncDirectory("");
  const file = await openOrCreate(disk, "data/values");
  // What a crash left after the last commit must not end up between two values.
  await file.truncate(committed);
  await file.append(Uint8Array.of(value));
  await file.sync();
  await file.close();
  await disk.syncDirectory("data");
}

async function openOrCreate(disk: Disk, path: string): ReturnType<Disk["open"]> {
  try {
    return await disk.open(path, "write");
  } catch (error) {
    if (!isOrthantError(error, "ORT_NOT_FOUND")) throw error;
    return disk.open(path, "create");
  }
}

async function readAll(disk: Disk, path: string): Promise<Uint8Array | undefined> {
  try {
    const file = await disk.open(path, "read");
    return await file.readAt(0, await file.size());
  } catch (error) {
    if (isOrthantError(error, "ORT_NOT_FOUND")) return undefined;
    throw error;
  }
}

function encodeHead(values: Uint8Array): Uint8Array {
  const unsealed = { bytes: values.length, valuesCrc: crc32(values), headCrc: 0 };
  const headCrc = crc32(encode(head, unsealed).subarray(0, head.offsets.headCrc));
  return encode(head, { ...unsealed, headCrc });
}

function damaged(path: string): OrthantError {
  return new OrthantError("ORT_CHECKSUM", "the sample store is damaged", { path });
}

const VALUES: readonly number[] = [11, 22, 33];
const NEXT_VALUE = 44;

/** A durability step of the sample store that a mutant omits. */
export interface StoreMutant {
  readonly step: string;
  readonly fault: DiskFault;
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
export async function proveSampleStore(options: PowerCutOptions, fault?: DiskFault): Promise<StoreProof> {
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

function mutant(step: string, fault: Omit<DiskFault, "kind">): StoreMutant {
  return { step, fault: { ...fault, kind: "skip" } };
}
