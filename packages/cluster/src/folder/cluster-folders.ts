import { isOrthantError } from "@orthant/core";
import { type Disk, type FolderDisk, parentOf } from "@orthant/disk";

/** Shared storage for the folders of shards. Every node sees what the others wrote. */
export interface ClusterFolders {
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

/** Folders on a disk that all nodes share: a file system mounted by every node, or one in memory. */
export class DiskFolders implements ClusterFolders {
  readonly #disk: FolderDisk;

  constructor(disk: FolderDisk) {
    this.#disk = disk;
  }

  async names(path: string): Promise<readonly string[]> {
    try {
      return (await this.#disk.list(path)).filter(({ kind }) => kind === "directory").map(({ name }) => name);
    } catch (error) {
      if (isOrthantError(error, "ORT_NOT_FOUND")) return [];
      throw error;
    }
  }

  async make(path: string): Promise<void> {
    const parts = path.split("/");
    for (let count = 1; count <= parts.length; count++) {
      const folder = parts.slice(0, count).join("/");
      await this.#disk.makeDirectory(folder);
      // Synced even if the folder exists, because its creator may have stopped before the sync.
      await this.#disk.syncDirectory(parentOf(folder));
    }
  }

  async move(from: string, to: string): Promise<void> {
    await this.#disk.moveDirectory(from, to);
    await this.#disk.syncDirectory(parentOf(from));
  }

  disk(path: string): Disk {
    const disk = this.#disk;
    const within = (name: string): string => (name === "" ? path : `${path}/${name}`);
    // Every call uses the full path, so a moved folder is not found any more.
    return {
      open: (file, mode) => disk.open(within(file), mode),
      rename: (from, to) => disk.rename(within(from), within(to)),
      remove: (file) => disk.remove(within(file)),
      list: (directory) => disk.list(within(directory)),
      makeDirectory: (directory) => disk.makeDirectory(within(directory)),
      syncDirectory: (directory) => disk.syncDirectory(within(directory)),
      lock: (file) => disk.lock(within(file)),
    };
  }
}
