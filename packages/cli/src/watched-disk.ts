import { type Disk, type DiskCall, GatedDisk } from "@orthant/disk";

/** Who wants to know what becomes of a disk. */
export interface DiskWatch {
  /** Once it is aborted, whatever is done next throws its reason; what is open can still be closed. */
  readonly signal: AbortSignal;
  /** Called before a world is locked, which is where writing to it begins. */
  readonly onWriting?: () => void;
  /** Told how many bytes were read or written. */
  readonly onBytes?: (bytes: number) => void;
}

const ALWAYS_ALLOWED: ReadonlySet<DiskCall["operation"]> = new Set(["size", "close", "lock"]);

/** A disk as it is, which stops when it is told to and counts the bytes that pass. */
export function watchedDisk(disk: Disk, { signal, onWriting, onBytes }: DiskWatch): Disk {
  return new GatedDisk(disk, async ({ operation, bytes }, happen) => {
    if (!ALWAYS_ALLOWED.has(operation)) signal.throwIfAborted();
    if (operation === "lock") onWriting?.();
    const result = await happen();
    if (bytes > 0) onBytes?.(bytes);
    return result;
  });
}
