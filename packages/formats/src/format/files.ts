import { isOrthantError } from "@orthant/core";
import type { Disk, DiskFile } from "@orthant/disk";
import { attempt, fileSize, readBeginning, requireDisk } from "@orthant/disk/files";

const MAGIC_BYTES = 4;

/** Returns whether a file begins with the four characters of `magic`. */
export async function hasMagic(disk: Disk, path: string, magic: string): Promise<boolean> {
  return (await startOf(disk, path, MAGIC_BYTES)) === magic;
}

/** Returns the first bytes of a file as characters; `undefined` if it is unreadable. */
export async function startOf(disk: Disk, path: string, bytesMax: number): Promise<string | undefined> {
  // A missing or unreadable file says nothing about the format.
  const [found] = await attempt(() => readBeginning(disk, path, bytesMax));
  return found && String.fromCharCode(...found);
}

/** Returns the first value that `find` returns for one of the items. */
export async function firstOf<Item, Value>(
  items: readonly Item[],
  find: (item: Item) => Promise<Value | undefined>,
): Promise<Value | undefined> {
  for (const item of items) {
    const found = await find(item);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Returns the size of a file; 0 when a writer has removed it since it was listed, or for a link. */
export async function fileBytes(disk: Disk, path: string): Promise<number> {
  requireDisk("disk", disk);
  try {
    return await fileSize(disk, path);
  } catch (error) {
    if (isOrthantError(error, "ORT_NOT_FOUND", "ORT_PATH")) return 0;
    throw error;
  }
}

/** Opens a file to write to it, or creates it; `isNew` tells which. */
export async function openOrCreate(
  disk: Disk,
  path: string,
): Promise<{ readonly file: DiskFile; readonly isNew: boolean }> {
  try {
    return { file: await disk.open(path, "write"), isNew: false };
  } catch (error) {
    if (!isOrthantError(error, "ORT_NOT_FOUND")) throw error;
    return { file: await disk.open(path, "create"), isNew: true };
  }
}
