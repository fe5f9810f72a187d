import { crc32, decode, encode, isOrthantError, OrthantError, struct, u32 } from "@orthant/core";
import type { Disk } from "@orthant/disk";

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
