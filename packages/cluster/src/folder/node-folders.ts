import { join } from "node:path";
import { isOrthantError } from "@orthant/core";
import type { Disk } from "@orthant/disk";
import { NodeDisk } from "@orthant/disk/node";
import type { FolderStore } from "./folder-store.ts";

/** Folders below one of the machine, which every node has mounted. */
export class NodeFolders implements FolderStore {
  readonly #root: string;
  readonly #disk: NodeDisk;

  constructor(root: string) {
    this.#root = root;
    this.#disk = new NodeDisk(root);
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
    await NodeDisk.create(join(this.#root, path));
  }

  async move(from: string, to: string): Promise<void> {
    await this.#disk.rename(from, to);
    await this.#disk.syncDirectory(from.split("/").slice(0, -1).join("/"));
  }

  disk(path: string): Disk {
    return new NodeDisk(join(this.#root, path));
  }
}
