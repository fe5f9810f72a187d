import { constants } from "node:fs";
import { type FileHandle, mkdir, open, readdir, rename, stat, unlink } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { isOrthantError, OrthantError } from "@orthant/core";
import { requireText } from "@orthant/core/engine";
import type { DirectoryEntry, DiskFile, DiskLock, FolderDisk, OpenMode } from "../port/disk.ts";
import { requireMode } from "../port/file-guard.ts";
import { requireDirectoryPath, requirePath } from "../port/path.ts";
import { takeClaim } from "./claim.ts";
import { untilReleased } from "./held-file.ts";
import { NodeFile } from "./node-file.ts";
import { systemCode, wrapErrors } from "./system-error.ts";

// Opening a named pipe waits for its other end, possibly for ever. O_NONBLOCK prevents that; Windows lacks
// it, and it has no effect on a regular file.
const { O_RDONLY, O_RDWR, O_CREAT, O_EXCL, O_NONBLOCK = 0, O_DIRECTORY = 0 } = constants;
const OPEN_FLAGS: Readonly<Record<OpenMode, number>> = {
  read: O_RDONLY | O_NONBLOCK,
  write: O_RDWR | O_NONBLOCK,
  create: O_RDWR | O_CREAT | O_EXCL,
};

/** A folder of the machine's file system as a disk. */
export class NodeDisk implements FolderDisk {
  readonly #root: string;

  /** The folder need not exist yet; until it does, every operation throws `ORT_NOT_FOUND`. */
  constructor(root: string) {
    this.#root = resolve(requireText("root", root, "it is the path of a folder"));
  }

  /** Creates the folder and its missing parents durably, unless it exists. */
  static async create(root: string): Promise<NodeDisk> {
    const folder = resolve(requireText("root", root, "it is the path of a folder"));
    await wrapErrors("makeDirectory", folder, () => makeFolder(folder));
    return new NodeDisk(folder);
  }

  async open(path: string, mode: OpenMode): Promise<DiskFile> {
    requirePath(path);
    requireMode(mode);
    const handle = await wrapErrors("open", path, () => this.#openRegular(path, OPEN_FLAGS[mode]));
    // What did not exist is a regular file now.
    if (mode === "create") return new NodeFile(path, mode, handle);
    const kind = await wrapErrors("open", path, () => handle.stat());
    if (kind.isFile()) return new NodeFile(path, mode, handle);
    await handle.close();
    throw notRegular(path);
  }

  async rename(from: string, to: string): Promise<void> {
    requirePath(from, "from");
    requirePath(to, "to");
    await wrapErrors("rename", from, () =>
      untilReleased(() => rename(this.#absolute(from), this.#absolute(to))),
    );
  }

  async moveDirectory(from: string, to: string): Promise<void> {
    await this.rename(from, to);
  }

  async remove(path: string): Promise<boolean> {
    requirePath(path);
    try {
      await wrapErrors("remove", path, () => untilReleased(() => unlink(this.#absolute(path))));
      return true;
    } catch (error) {
      if (isOrthantError(error, "ORT_NOT_FOUND")) return false;
      throw error;
    }
  }

  async list(directory: string): Promise<readonly DirectoryEntry[]> {
    requireDirectoryPath(directory);
    const entries = await wrapErrors("list", directory, () =>
      readdir(this.#absolute(directory), { withFileTypes: true }),
    );
    return entries
      .map(
        (entry): DirectoryEntry => ({ name: entry.name, kind: entry.isDirectory() ? "directory" : "file" }),
      )
      .sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  async makeDirectory(path: string): Promise<void> {
    requirePath(path);
    await wrapErrors("makeDirectory", path, async () => {
      try {
        await mkdir(this.#absolute(path));
      } catch (error) {
        if (systemCode(error) !== "EEXIST") throw error;
        // Fine if an existing directory has the name; readdir checks that, or the original error stands.
        await readdir(this.#absolute(path)).catch(() => Promise.reject(error));
      }
    });
  }

  async syncDirectory(directory: string): Promise<void> {
    requireDirectoryPath(directory);
    await syncFolder(this.#absolute(directory), directory);
  }

  async lock(path: string): Promise<DiskLock> {
    requirePath(path);
    return takeClaim(this.#absolute(path), path);
  }

  async #openRegular(path: string, flags: number): Promise<FileHandle> {
    try {
      return await open(this.#absolute(path), flags);
    } catch (error) {
      // A socket, or a device that does not exist.
      if (systemCode(error) === "ENXIO") throw notRegular(path);
      throw error;
    }
  }

  #absolute(path: string): string {
    return join(this.#root, path);
  }
}

function notRegular(path: string): OrthantError {
  return new OrthantError("ORT_ARGUMENT", "open: that is not a regular file", { path, operation: "open" });
}

/**
 * Creates a folder and its missing parents durably. Does not use `recursive`, with which Node retries
 * endlessly where a folder accepts no subfolders, as in /proc.
 */
async function makeFolder(folder: string): Promise<void> {
  try {
    await mkdir(folder);
  } catch (error) {
    if (await isFolder(folder)) return;
    const parent = dirname(folder);
    if (systemCode(error) !== "ENOENT" || parent === folder) throw error;
    if (await isFolder(parent)) throw noRoomIn(parent, folder, error);
    await makeFolder(parent);
    return makeFolder(folder);
  }
  // A new folder is a new name in its parent.
  await syncFolder(dirname(folder));
}

function noRoomIn(parent: string, path: string, cause: unknown): OrthantError {
  const detail = `${parent} takes no folders: name another place`;
  return new OrthantError("ORT_DISK_DENIED", detail, { path, operation: "makeDirectory" }, { cause });
}

async function isFolder(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isDirectory();
  } catch (error) {
    if (systemCode(error) === "ENOENT") return false;
    throw error;
  }
}

async function syncFolder(folder: string, name: string = folder): Promise<void> {
  // Windows can neither open nor sync a directory; NTFS journals its names by itself.
  if (process.platform === "win32") return;
  await wrapErrors("syncDirectory", name, async () => {
    const handle = await open(folder, O_RDONLY | O_DIRECTORY);
    try {
      await handle.sync();
    } finally {
      await handle.close();
    }
  });
}
