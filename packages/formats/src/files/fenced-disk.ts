import { type Disk, GatedDisk } from "@orthant/disk";
import type { WriterLock } from "./write-temporary.ts";

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
