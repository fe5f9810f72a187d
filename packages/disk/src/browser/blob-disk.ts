import { OrthantError } from "@orthant/core";
import type { DirectoryEntry, Disk, DiskFile, DiskLock, OpenMode } from "../port/disk.ts";
import { FileGuard } from "../port/file-guard.ts";

/** Files that a visitor gave to the page, as a read-only disk that reads only the requested parts. */
export class BlobDisk implements Disk {
  readonly #files: ReadonlyMap<string, Blob>;

  constructor(files: ReadonlyMap<string, Blob>) {
    this.#files = files;
  }

  async open(path: string, mode: OpenMode): Promise<DiskFile> {
    if (mode !== "read") throw readOnly(`open to ${mode}`, path);
    const blob = this.#files.get(path);
    if (blob === undefined)
      throw new OrthantError("ORT_NOT_FOUND", "no such file", { path, operation: "open" });
    return new BlobFile(path, blob);
  }

  async list(directory: string): Promise<readonly DirectoryEntry[]> {
    const prefix = directory === "" ? "" : `${directory}/`;
    const kinds = new Map<string, DirectoryEntry["kind"]>();
    for (const path of this.#files.keys()) {
      if (!path.startsWith(prefix)) continue;
      const [name = "", ...rest] = path.slice(prefix.length).split("/");
      kinds.set(name, rest.length === 0 ? "file" : "directory");
    }
    if (kinds.size === 0 && directory !== "") {
      throw new OrthantError("ORT_NOT_FOUND", "no such directory", { path: directory, operation: "list" });
    }
    const entries = [...kinds].map(([name, kind]) => ({ name, kind }));
    return entries.sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  rename(from: string): Promise<void> {
    return Promise.reject(readOnly("rename", from));
  }

  remove(path: string): Promise<boolean> {
    return Promise.reject(readOnly("remove", path));
  }

  makeDirectory(path: string): Promise<void> {
    return Promise.reject(readOnly("makeDirectory", path));
  }

  syncDirectory(directory: string): Promise<void> {
    return Promise.reject(readOnly("syncDirectory", directory));
  }

  lock(path: string): Promise<DiskLock> {
    return Promise.reject(readOnly("lock", path));
  }
}

class BlobFile implements DiskFile {
  readonly #path: string;
  readonly #blob: Blob;
  readonly #guard: FileGuard;

  constructor(path: string, blob: Blob) {
    this.#path = path;
    this.#blob = blob;
    this.#guard = new FileGuard(path, "read");
  }

  async size(): Promise<number> {
    this.#guard.requireOpen("size");
    return this.#blob.size;
  }

  async readAt(offset: number, length: number): Promise<Uint8Array> {
    this.#guard.requireOpen("readAt");
    this.#guard.requireInside(offset, length, this.#blob.size);
    try {
      return new Uint8Array(await this.#blob.slice(offset, offset + length).arrayBuffer());
    } catch (cause) {
      // The browser refuses if the file was changed or removed since it was given.
      const context = { path: this.#path, offset, operation: "readAt" };
      throw new OrthantError("ORT_DISK_IO", "the file cannot be read any more", context, { cause });
    }
  }

  append(): Promise<number> {
    return Promise.reject(readOnly("append", this.#path));
  }

  writeAt(): Promise<void> {
    return Promise.reject(readOnly("writeAt", this.#path));
  }

  writeDurably(): Promise<void> {
    return Promise.reject(readOnly("writeDurably", this.#path));
  }

  truncate(): Promise<void> {
    return Promise.reject(readOnly("truncate", this.#path));
  }

  sync(): Promise<void> {
    return Promise.reject(readOnly("sync", this.#path));
  }

  async close(): Promise<void> {
    this.#guard.close();
  }
}

function readOnly(operation: string, path: string): OrthantError {
  return new OrthantError("ORT_ARGUMENT", "files that were given to a page are only read", {
    path,
    operation,
  });
}
