import type { Disk, DiskLock } from "@orthant/disk";

/** What a writer needs of its lock. A writer without one must be the only one. */
export type WriterLock = Pick<DiskLock, "token" | "requireHeld">;

/** Ends the name of a file that is not finished. */
export const TEMPORARY_SUFFIX = ".tmp";
const TEMPORARY_NAME = /^(.+?)(?:\.[0-9a-f]{16})?\.tmp$/s;

/**
 * The name that a file has until it is finished. With a lock it is unique to the holder: a writer that lost the lock can
 * neither write to the files of the next one nor give them their names.
 */
export function temporaryPath(path: string, lock?: WriterLock): string {
  return lock === undefined ? path + TEMPORARY_SUFFIX : `${path}.${lock.token}${TEMPORARY_SUFFIX}`;
}

/** The name that a temporary file is to get; `undefined` for a path that is not of a temporary file. */
export function pathOfTemporary(temporary: string): string | undefined {
  return TEMPORARY_NAME.exec(temporary)?.[1];
}

/** Writes a file under its temporary name, durably but for the name. */
export async function writeTemporary(
  disk: Disk,
  path: string,
  bytes: Uint8Array,
  lock?: WriterLock,
): Promise<void> {
  const temporary = temporaryPath(path, lock);
  await disk.remove(temporary);
  const file = await disk.open(temporary, "create");
  try {
    await file.append(bytes);
    await file.sync();
  } finally {
    await file.close();
  }
}
