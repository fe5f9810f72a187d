import { isOrthantError } from "@orthant/core";
import type { Disk, DiskFile, DiskLock } from "../port/disk.ts";
import { GatedDisk } from "../port/gated-disk.ts";

/** The part of a lock that a writer needs. A writer without one must be the only one. */
export type WriterLock = Pick<DiskLock, "token" | "requireHeld">;

/** Suffix of the name of an unfinished file. */
export const TEMPORARY_SUFFIX = ".tmp";
const TEMPORARY_NAME = /^(.+?)(?:\.[0-9a-f]{16})?\.tmp$/s;

/**
 * Returns the temporary name of an unfinished file. With a lock it is unique to the holder: a writer that
 * lost the lock can neither write to the next holder's files nor rename them.
 */
export function temporaryPath(path: string, lock?: WriterLock): string {
  return lock === undefined ? path + TEMPORARY_SUFFIX : `${path}.${lock.token}${TEMPORARY_SUFFIX}`;
}

/** Returns the final name of a temporary file; `undefined` for any other path. */
export function pathOfTemporary(temporary: string): string | undefined {
  return TEMPORARY_NAME.exec(temporary)?.[1];
}

/** Writes a file under its temporary name. The content is durable, the name is not. */
export async function writeTemporary(
  disk: Disk,
  path: string,
  bytes: Uint8Array,
  lock?: WriterLock,
): Promise<void> {
  const file = await createAnew(disk, temporaryPath(path, lock));
  try {
    await file.append(bytes);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** Creates a file. One of that name was left by a writer that failed, which is rare: it is removed only if it is met. */
async function createAnew(disk: Disk, path: string): Promise<DiskFile> {
  try {
    return await disk.open(path, "create");
  } catch (error) {
    if (!isOrthantError(error, "ORT_EXISTS")) throw error;
    await disk.remove(path);
    return disk.open(path, "create");
  }
}

/**
 * Returns a disk that checks the lock before each rename or removal. A writer that lost the lock can finish
 * the one call already in progress, and no other.
 */
export function fencedDisk(disk: Disk, lock: WriterLock): Disk {
  return new GatedDisk(disk, async ({ operation }, happen) => {
    if (operation === "rename" || operation === "remove") await lock.requireHeld();
    return happen();
  });
}
