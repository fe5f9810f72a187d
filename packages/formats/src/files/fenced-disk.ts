import { type Disk, GatedDisk } from "@orthant/disk";
import type { WriterLock } from "./write-temporary.ts";

/**
 * The same disk, on which nothing is renamed or removed without a look at the lock. A writer that lost the lock can
 * finish the one call that it was in the middle of, and no other.
 */
export function fencedDisk(disk: Disk, lock: WriterLock): Disk {
  return new GatedDisk(disk, async ({ operation }, happen) => {
    if (operation === "rename" || operation === "remove") await lock.requireHeld();
    return happen();
  });
}
