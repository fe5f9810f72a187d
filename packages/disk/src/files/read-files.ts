import { isOrthantError, OrthantError } from "@orthant/core";
import type { Disk } from "../port/disk.ts";

/** Reads a file of at most `bytesMax` bytes. */
export async function readWhole(disk: Disk, path: string, bytesMax = 0x7fff_ffff): Promise<Uint8Array> {
  const file = await disk.open(path, "read");
  try {
    const size = await file.size();
    if (size > bytesMax) {
      throw new OrthantError("ORT_LIMIT", `${size} bytes, the limit is ${bytesMax}`, { path });
    }
    return await file.readAt(0, size);
  } finally {
    await file.close();
  }
}

/** Reads at most the first `bytesMax` bytes of a file. */
export async function readBeginning(disk: Disk, path: string, bytesMax: number): Promise<Uint8Array> {
  const file = await disk.open(path, "read");
  try {
    return await file.readAt(0, Math.min(bytesMax, await file.size()));
  } finally {
    await file.close();
  }
}

/** Returns the size of a file. */
export async function fileSize(disk: Disk, path: string): Promise<number> {
  const file = await disk.open(path, "read");
  try {
    return await file.size();
  } finally {
    await file.close();
  }
}

/** Returns the paths of the files in a folder; none if the folder does not exist. */
export async function filesIn(disk: Disk, folder: string): Promise<readonly string[]> {
  try {
    const entries = await disk.list(folder);
    return entries
      .filter(({ kind }) => kind === "file")
      .map(({ name }) => (folder === "" ? name : `${folder}/${name}`));
  } catch (error) {
    if (isOrthantError(error, "ORT_NOT_FOUND")) return [];
    throw error;
  }
}

const LOCK_NAME = /\.lock(?:~|$)/;

/**
 * Returns whether a name is that of a lock, or of a claim to one. It may lie beside a save but is not part of
 * it.
 */
export function isLockName(name: string): boolean {
  return LOCK_NAME.test(name);
}

/** Returns the lock for writing a file: two writers would write the same temporary file. */
export function lockOf(path: string): string {
  return `${path}.lock`;
}
