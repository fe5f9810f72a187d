import { isOrthantError } from "@orthant/core";
import { type Disk, type DiskFile, type DiskLock, parentOf } from "@orthant/disk";
import { filesIn, lockOf, pathOfTemporary, type WriterLock } from "@orthant/disk/files";
import { ENTRIES_OFFSET } from "../layout.ts";
import { NewFile } from "./new-file.ts";

const COPY_BYTES = 1_048_576;

/** Takes the lock of a file, and removes the unfinished files of earlier writers. Rule X46. */
export async function lockFile(disk: Disk, path: string): Promise<DiskLock> {
  const lock = await disk.lock(lockOf(path));
  try {
    const unfinished = await unfinishedFilesOf(disk, path);
    // Files listed while we held the lock cannot belong to a later holder.
    await lock.requireHeld();
    for (const temporary of unfinished) await disk.remove(temporary);
    return lock;
  } catch (error) {
    await lock.release();
    throw error;
  }
}

/** Returns the temporary files that were written to replace a file but never renamed. */
export async function unfinishedFilesOf(disk: Disk, path: string): Promise<readonly string[]> {
  return (await filesIn(disk, parentOf(path))).filter((name) => pathOfTemporary(name) === path);
}

/**
 * Opens a file for writing, then checks the lock. In this order, a process that takes the lock later replaces
 * this file with a copy, so that nothing we write can reach the file that it trusts.
 */
export async function openHeld(disk: Disk, path: string, lock: WriterLock): Promise<DiskFile> {
  const file = await disk.open(path, "write");
  try {
    await lock.requireHeld();
    return file;
  } catch (error) {
    await file.close();
    throw error;
  }
}

/**
 * Replaces a file that an earlier lock holder may still write to with a copy. Rule X46. The copy is as good
 * as the file after a crash: the headers are read first, and everything they name was written before them.
 */
export async function replaceByCopy(disk: Disk, path: string, lock: WriterLock): Promise<void> {
  const source = await disk.open(path, "read");
  try {
    const copy = await NewFile.create(disk, path, { replacing: "replace", lock });
    try {
      let end = 0;
      for (let bytes = await readNext(source, end); bytes.length > 0; bytes = await readNext(source, end)) {
        await copy.append(bytes);
        end += bytes.length;
      }
      await copy.seal();
      await copy.publish();
    } finally {
      await copy.close();
    }
  } finally {
    await source.close();
  }
}

/** Reads the headers, or the next piece after them; returns no bytes at the end. */
async function readNext(file: DiskFile, offset: number): Promise<Uint8Array> {
  const wanted = offset === 0 ? ENTRIES_OFFSET : COPY_BYTES;
  for (;;) {
    const length = Math.min(wanted, (await file.size()) - offset);
    if (length <= 0) return new Uint8Array(0);
    try {
      return await file.readAt(offset, length);
    } catch (error) {
      // The earlier holder cut off uncommitted bytes.
      const isCut = isOrthantError(error, "ORT_TRUNCATED") && (await file.size()) < offset + length;
      if (!isCut) throw error;
    }
  }
}
