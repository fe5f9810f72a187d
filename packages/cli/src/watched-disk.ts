import { type Disk, type DiskCall, GatedDisk } from "@orthant/disk";

/** Observer of a disk. */
export interface DiskWatch {
  /** Once aborted, every further operation throws its reason; open files can still be closed. */
  readonly signal: AbortSignal;
  /** Called before a world is locked, which is where writing to it begins. */
  readonly onWriting?: () => void;
  /** Called with the number of bytes read or written. */
  readonly onBytes?: (bytes: number) => void;
}

const ALWAYS_ALLOWED: ReadonlySet<DiskCall["operation"]> = new Set(["size", "close", "lock"]);

/** Wraps a disk so that it stops on a signal and counts the bytes that pass. */
export function watchedDisk(disk: Disk, { signal, onWriting, onBytes }: DiskWatch): Disk {
  return new GatedDisk(disk, async ({ operation, bytes }, happen) => {
    if (!ALWAYS_ALLOWED.has(operation)) signal.throwIfAborted();
    if (operation === "lock") onWriting?.();
    const result = await happen();
    if (bytes > 0) onBytes?.(bytes);
    return result;
  });
}
