import type { Disk } from "@orthant/disk";

/** Where the folders of shards lie: seen by all nodes, and by each as the others left it. */
export interface FolderStore {
  /** The folders in a folder, by name; none when it is not there. */
  names(path: string): Promise<readonly string[]>;
  /** Makes a folder, with those above it, durably; nothing when it is there. */
  make(path: string): Promise<void>;
  /**
   * Gives a folder another name beside it, durably and in one step: of two who move the same folder one succeeds, and
   * whoever goes on under the old name finds nothing there. `ORT_NOT_FOUND` when it is not there.
   */
  move(from: string, to: string): Promise<void>;
  /** A folder as a disk. */
  disk(path: string): Disk;
}
