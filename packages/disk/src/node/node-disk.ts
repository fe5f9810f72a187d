import { constants } from "node:fs";
import { type FileHandle, lstat, mkdir, open, readdir, rename, stat, unlink } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { isOrthantError, OrthantError } from "@orthant/core";
import { requireText } from "@orthant/core/arguments";
import type { DirectoryEntry, DiskFile, DiskLock, FolderDisk, OpenMode } from "../port/disk.ts";
import { requireMode } from "../port/file-guard.ts";
import { nameOf, parentOf, requireDirectoryPath, requirePath } from "../port/path.ts";
import { takeClaim } from "./claim.ts";
import { inDirectory, linkErrorOf, requireNoLink } from "./directory.ts";
import { NodeFile, untilReleased } from "./node-file.ts";
import { systemCode, wrapErrors } from "./system-error.ts";

// Opening a named pipe waits for its other end, possibly forever. O_NONBLOCK prevents that; Windows lacks
// it, and it has no effect on a regular file. Windows lacks O_NOFOLLOW, too.
const { O_RDONLY, O_RDWR, O_CREAT, O_EXCL, O_NONBLOCK = 0, O_DIRECTORY = 0, O_NOFOLLOW = 0 } = constants;
// O_EXCL does not follow a link either.
const OPEN_FLAGS: Readonly<Record<OpenMode, number>> = {
  read: O_RDONLY | O_NONBLOCK | O_NOFOLLOW,
  write: O_RDWR | O_NONBLOCK | O_NOFOLLOW,
  create: O_RDWR | O_CREAT | O_EXCL,
};

/**
 * A folder of the machine's file system as a disk. The folder may be a symbolic link; a link in it is never followed:
 * `ORT_PATH`. Renaming or removing a link changes the link itself.
 */
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
    const handle = await this.#at("open", path, (absolute) => this.#openRegular(absolute, path, mode));
    // What did not exist is a regular file now.
    if (mode === "create") return new NodeFile(path, mode, handle);
    try {
      const kind = await wrapErrors("open", path, () => handle.stat());
      if (!kind.isFile()) throw notRegular(path);
      return new NodeFile(path, mode, handle);
    } catch (error) {
      await handle.close();
      throw error;
    }
  }

  async rename(from: string, to: string): Promise<void> {
    requirePath(from, "from");
    requirePath(to, "to");
    await this.#at("rename", from, (source) =>
      inDirectory(this.#root, parentOf(to), (found) =>
        untilReleased(() => rename(source, join(found, nameOf(to)))),
      ),
    );
  }

  async moveDirectory(from: string, to: string): Promise<void> {
    await this.rename(from, to);
  }

  async remove(path: string): Promise<boolean> {
    requirePath(path);
    try {
      await this.#at("remove", path, (absolute) => untilReleased(() => unlink(absolute)));
      return true;
    } catch (error) {
      if (isOrthantError(error, "ORT_NOT_FOUND")) return false;
      throw error;
    }
  }

  async list(directory: string): Promise<readonly DirectoryEntry[]> {
    requireDirectoryPath(directory);
    const entries = await wrapErrors("list", directory, () =>
      inDirectory(this.#root, directory, (found) => readdir(found, { withFileTypes: true })),
    );
    return entries
      .map(
        (entry): DirectoryEntry => ({ name: entry.name, kind: entry.isDirectory() ? "directory" : "file" }),
      )
      .sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  async makeDirectory(path: string): Promise<void> {
    requirePath(path);
    await this.#at("makeDirectory", path, async (absolute) => {
      try {
        await mkdir(absolute);
      } catch (error) {
        if (systemCode(error) !== "EEXIST") throw error;
        requireNoLink(absolute, path);
        // Fine if an existing directory has the name, or the original error stands.
        if (!(await lstat(absolute)).isDirectory()) throw error;
      }
    });
  }

  async syncDirectory(directory: string): Promise<void> {
    requireDirectoryPath(directory);
    await wrapErrors("syncDirectory", directory, () => inDirectory(this.#root, directory, syncFolder));
  }

  async lock(path: string): Promise<DiskLock> {
    requirePath(path);
    return takeClaim(this.#root, path);
  }

  async #openRegular(absolute: string, path: string, mode: OpenMode): Promise<FileHandle> {
    if (O_NOFOLLOW === 0) requireNoLink(absolute, path);
    try {
      return await open(absolute, OPEN_FLAGS[mode]);
    } catch (error) {
      // A socket, or a device that does not exist.
      if (systemCode(error) === "ENXIO") throw notRegular(path);
      throw linkErrorOf(error, absolute, path);
    }
  }

  /** Calls `use` with a path at which the system finds what `path` names, without following a link in its directory. */
  #at<Result>(operation: string, path: string, use: (absolute: string) => Promise<Result>): Promise<Result> {
    return wrapErrors(operation, path, () =>
      inDirectory(this.#root, parentOf(path), (found) => use(join(found, nameOf(path)))),
    );
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
  const parent = dirname(folder);
  await wrapErrors("syncDirectory", parent, () => syncFolder(parent));
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

async function syncFolder(folder: string): Promise<void> {
  // Windows can neither open nor sync a directory; NTFS journals its names by itself.
  if (process.platform === "win32") return;
  const handle = await open(folder, O_RDONLY | O_DIRECTORY);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
