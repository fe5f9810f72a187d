/**
 * The `Disk` interface, and a disk in memory.
 *
 * @module @orthant/disk
 */

export { type DiskImage, MemoryDisk } from "./memory/memory-disk.ts";
export { OverlayDisk } from "./memory/overlay-disk.ts";
export type { DirectoryEntry, Disk, DiskFile, DiskLock, FolderDisk, OpenMode } from "./port/disk.ts";
export { FileGuard } from "./port/file-guard.ts";
export { type DiskCall, type Gate, GatedDisk } from "./port/gated-disk.ts";
export { isWithin, nameOf, parentOf } from "./port/path.ts";
