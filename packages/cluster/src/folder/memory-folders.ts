import { OrthantError } from "@orthant/core";
import { type Disk, MemoryDisk } from "@orthant/disk";
import type { FolderStore } from "./folder-store.ts";

/** Folders in memory, which all nodes of one process share. */
export class MemoryFolders implements FolderStore {
  readonly #disks = new Map<string, MemoryDisk>();

  async names(path: string): Promise<readonly string[]> {
    const names = new Set<string>();
    for (const known of this.#disks.keys()) {
      if (known.startsWith(`${path}/`)) names.add(known.slice(path.length + 1).split("/")[0] ?? "");
    }
    return [...names];
  }

  async make(path: string): Promise<void> {
    if (!this.#disks.has(path)) this.#disks.set(path, new MemoryDisk());
  }

  async move(from: string, to: string): Promise<void> {
    const disk = this.#disks.get(from);
    if (disk === undefined) throw notFound(from);
    this.#disks.delete(from);
    this.#disks.set(to, disk);
  }

  disk(path: string): Disk {
    const found = (): MemoryDisk => {
      const disk = this.#disks.get(path);
      if (disk === undefined) throw notFound(path);
      return disk;
    };
    // Looked up with every call, as a file system does with every path.
    return {
      open: async (file, mode) => found().open(file, mode),
      rename: async (from, to) => found().rename(from, to),
      remove: async (file) => found().remove(file),
      list: async (directory) => found().list(directory),
      makeDirectory: async (directory) => found().makeDirectory(directory),
      syncDirectory: async (directory) => found().syncDirectory(directory),
      lock: async (file) => found().lock(file),
    };
  }
}

function notFound(path: string): OrthantError {
  return new OrthantError("ORT_NOT_FOUND", "no such folder", { path });
}
