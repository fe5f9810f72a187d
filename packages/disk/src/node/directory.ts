import { closeSync, constants, fstatSync, lstatSync, openSync, statSync } from "node:fs";
import { join } from "node:path";
import { OrthantError } from "@orthant/core";
import { systemCode } from "./system-error.ts";

const { O_RDONLY, O_DIRECTORY = 0, O_NOFOLLOW = 0 } = constants;

/** Where Linux shows the open files of a process. A path that begins with one cannot be led elsewhere. */
const OPEN_FILES = "/proc/self/fd";

/** What a system says of a link that it was asked not to follow: of a file, of a directory, and on other systems. */
const LINK_CODES: ReadonlySet<string> = new Set(["ELOOP", "ENOTDIR", "EMLINK"]);

/** Whether this process can use {@link OPEN_FILES}; `undefined` before the first attempt. */
let hasOpenFiles: boolean | undefined;

/** A directory of a disk, found without following a link below the disk's root. */
interface FoundDirectory {
  /** Names in the directory are appended to this path. */
  readonly path: string;
  close(): void;
}

/**
 * Finds a directory of the disk in `root`. Throws `ORT_PATH` if it or a directory above it is a link; the root
 * itself may be one. On Linux a directory of the root stays open until `close`, so that nothing can replace it with a
 * link meanwhile. One further down is only checked: another process may move it (see `FolderDisk`), and a former owner
 * that uses its old name must not reach it any more. Synchronous, because the kernel needs microseconds, and the
 * thread pool tens of them.
 */
export function findDirectory(root: string, directory: string): FoundDirectory {
  if (directory === "") return { path: root, close: () => undefined };
  if (!directory.includes("/") && canUseOpenFiles(root)) return openDirectory(root, directory);
  const parts = directory.split("/");
  for (let count = 1; count <= parts.length; count++) {
    const path = parts.slice(0, count).join("/");
    requireNoLink(join(root, path), path);
  }
  return { path: join(root, directory), close: () => undefined };
}

/** Calls `use` with a path to which names in a directory are appended: see {@link findDirectory}. */
export async function inDirectory<Result>(
  root: string,
  directory: string,
  use: (found: string) => Promise<Result>,
): Promise<Result> {
  const { path, close } = findDirectory(root, directory);
  try {
    return await use(path);
  } catch (error) {
    // Messages of the system name the directory as we did, which says nothing to a reader.
    if (error instanceof Error) error.message = error.message.replaceAll(path, join(root, directory));
    throw error;
  } finally {
    close();
  }
}

/** Throws `ORT_PATH` if there is a link at `absolute`, which is `path` on its disk. A missing entry is fine. */
export function requireNoLink(absolute: string, path: string): void {
  if (isLink(absolute)) throw linkRefused(path);
}

/** Returns the error of a system call that was asked not to follow a link; `ORT_PATH` if it met one. */
export function linkErrorOf(error: unknown, absolute: string, path: string): unknown {
  return LINK_CODES.has(systemCode(error)) && isLink(absolute) ? linkRefused(path) : error;
}

function openDirectory(root: string, name: string): FoundDirectory {
  const absolute = join(root, name);
  let fd: number;
  try {
    fd = openSync(absolute, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
  } catch (error) {
    throw linkErrorOf(error, absolute, name);
  }
  return { path: `${OPEN_FILES}/${fd}`, close: () => closeSync(fd) };
}

/** Other systems, some containers and some runtimes have no such folder, or one with other numbers. */
function canUseOpenFiles(root: string): boolean {
  if (process.platform !== "linux" || hasOpenFiles === false) return false;
  hasOpenFiles ??= showsOpenFile(root);
  return hasOpenFiles ?? false;
}

/** Returns `undefined` if the folder cannot be opened. */
function showsOpenFile(folder: string): boolean | undefined {
  let fd: number;
  try {
    fd = openSync(folder, O_RDONLY | O_DIRECTORY);
  } catch {
    // The caller meets the same error.
    return undefined;
  }
  try {
    const [own, shown] = [fstatSync(fd), statSync(`${OPEN_FILES}/${fd}`, { throwIfNoEntry: false })];
    return own.dev === shown?.dev && own.ino === shown.ino;
  } catch {
    // No permission to look there.
    return false;
  } finally {
    closeSync(fd);
  }
}

function isLink(absolute: string): boolean {
  try {
    return lstatSync(absolute, { throwIfNoEntry: false })?.isSymbolicLink() === true;
  } catch (error) {
    // A part of the path is a file, which the caller reports.
    if (systemCode(error) === "ENOTDIR") return false;
    throw error;
  }
}

function linkRefused(path: string): OrthantError {
  const detail = `${path} is a link, and links inside the folder are not followed: put what it leads to in its place`;
  return new OrthantError("ORT_PATH", detail, { path });
}
