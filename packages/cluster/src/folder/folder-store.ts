import type { Disk } from "@orthant/disk";

/** Shared storage for the folders of shards. Every node sees what the others wrote. */
export interface FolderStore {
  /** Returns the names of the subfolders; empty if the folder does not exist. */
  names(path: string): Promise<readonly string[]>;
  /** Creates a folder and its parents durably. Does nothing if it exists. */
  make(path: string): Promise<void>;
  /**
   * Renames a folder within its parent, durably and atomically. If two nodes move the same folder, only one
   * succeeds, and a node that keeps using the old name finds nothing there. Throws `ORT_NOT_FOUND` if the
   * folder does not exist.
   */
  move(from: string, to: string): Promise<void>;
  /** Returns a folder as a disk. */
  disk(path: string): Disk;
}
