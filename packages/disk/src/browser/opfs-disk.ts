import { type ErrorCode, isOrthantError, OrthantError, systemTime, type TimeSource } from "@orthant/core";
import { systemRandomBits } from "@orthant/core/lattice";
import type { DirectoryEntry, Disk, DiskFile, DiskLock, OpenMode } from "../port/disk.ts";
import { nameOf, parentOf, requirePath } from "../port/path.ts";
import { errorName, type OriginFile, patiently } from "./access-handle.ts";
import { type Claim, originFolder, requireWorker, takeClaim } from "./claim.ts";
import { GONE_FOLDER, GoneFiles } from "./gone-files.ts";
import { OpfsContent, OpfsFile, wrapErrors } from "./opfs-file.ts";

/** Options for opening a disk in the browser. */
export interface OpfsDiskOptions {
  /** Times how long removed files are kept. Default: the system clock. */
  readonly time?: TimeSource;
}

/** A file that was found, and its open content, if any. */
interface Found {
  readonly file: OriginFile;
  readonly content: OpfsContent | undefined;
}

/**
 * A folder of the browser's Origin Private File System as a {@link Disk}. It works in a dedicated worker of a
 * secure page. Only one page or worker of the site can have the folder open at a time.
 *
 * A browser guarantees less than the port requires. Data saved by a file's `sync` is safe, and every change
 * survives the page, the worker and the browser, however they end. But no browser can be told to write its
 * names to the drive: after a power cut, or a crash of the whole system, the names may be those of an earlier
 * moment, at worst half a minute ago, regardless of `syncDirectory`. The files of that moment are still
 * there, so a world opens as it was saved then. And a browser that runs out of space may delete everything,
 * unless `navigator.storage.persist()` was granted. Decision 23.
 */
export class OpfsDisk implements Disk {
  readonly #claim: Claim;
  readonly #gone: GoneFiles;
  readonly #folders: Map<string, FileSystemDirectoryHandle>;
  readonly #contents = new Map<string, OpfsContent>();
  readonly #locks = new Set<string>();
  #turn: Promise<unknown> = Promise.resolve();
  #isClosed = false;

  private constructor(root: FileSystemDirectoryHandle, claim: Claim, gone: GoneFiles) {
    this.#claim = claim;
    this.#gone = gone;
    this.#folders = new Map([["", root]]);
  }

  /**
   * Opens a folder of the site's private files, creating it if needed. Throws `ORT_LOCKED` when another page
   * or worker has it open, `ORT_DISK_DENIED` outside a worker or a secure page.
   */
  static async open(folder: string, { time = systemTime }: OpfsDiskOptions = {}): Promise<OpfsDisk> {
    requirePath(folder, "folder");
    requireWorker(folder);
    const claim = await takeClaim(folder);
    try {
      return await wrapErrors("open", folder, async () => {
        const root = await originFolder(folder, true);
        const disk = new OpfsDisk(root, claim, await GoneFiles.open(root, time));
        await disk.#finishReplacing();
        await disk.#gone.sweep();
        return disk;
      });
    } catch (error) {
      claim.release();
      throw error;
    }
  }

  /** Permanently removes a folder. Returns whether it existed. Throws `ORT_LOCKED` while it is open. */
  static async remove(folder: string): Promise<boolean> {
    requirePath(folder, "folder");
    requireWorker(folder);
    const claim = await takeClaim(folder);
    try {
      await wrapErrors("remove", folder, async () => {
        const parent = await originFolder(parentOf(folder), false);
        await patiently(() => parent.removeEntry(nameOf(folder), { recursive: true }));
      });
      return true;
    } catch (error) {
      if (isOrthantError(error, "ORT_NOT_FOUND")) return false;
      throw error;
    } finally {
      claim.release();
    }
  }

  /** Releases the folder. Close all open files first. Closing twice is harmless. */
  async close(): Promise<void> {
    await this.#turn;
    this.#isClosed = true;
    this.#claim.release();
  }

  async open(path: string, mode: OpenMode): Promise<DiskFile> {
    requireUnreservedPath(path);
    return this.#inTurn("open", path, async () => {
      const found = mode === "create" ? await this.#create(path) : await this.#find(path);
      const content = found.content ?? (await OpfsContent.open(path, found.file));
      this.#contents.set(path, content);
      content.users++;
      return new OpfsFile(path, mode, content, () => this.#release(content));
    });
  }

  async rename(from: string, to: string): Promise<void> {
    requireUnreservedPath(from);
    requireUnreservedPath(to);
    await this.#inTurn("rename", from, async () => {
      const found = await this.#find(from);
      const folder = await this.#folder(parentOf(to));
      const old = await this.#lookFor(to);
      if (from === to) return;
      if (old === undefined) await moveFile(found, folder, nameOf(to));
      else await this.#replace(old, found, folder, to);
      this.#forget(from);
      if (found.content === undefined) return;
      found.content.path = to;
      this.#contents.set(to, found.content);
    });
  }

  async remove(path: string): Promise<boolean> {
    requireUnreservedPath(path);
    return this.#inTurn("remove", path, async () => {
      const found = await this.#lookFor(path);
      if (found === undefined) return false;
      await moveFile(found, this.#gone.folder, this.#gone.newName());
      this.#forget(path);
      await this.#gone.sweep();
      return true;
    });
  }

  async list(directory: string): Promise<readonly DirectoryEntry[]> {
    requireUnreservedFolder(directory);
    return this.#inTurn("list", directory, async () => {
      const entries: DirectoryEntry[] = [];
      for await (const [name, { kind }] of (await this.#folder(directory)).entries()) {
        if (directory !== "" || name !== GONE_FOLDER) entries.push({ name, kind });
      }
      return entries.sort((a, b) => (a.name < b.name ? -1 : 1));
    });
  }

  async makeDirectory(path: string): Promise<void> {
    requireUnreservedPath(path);
    await this.#inTurn("makeDirectory", path, async () => {
      const parent = await this.#folder(parentOf(path));
      await parent
        .getDirectoryHandle(nameOf(path), { create: true })
        .catch(as("TypeMismatchError", "ORT_EXISTS", path));
    });
  }

  /** Only checks that the directory exists: the browser decides when to write names. */
  async syncDirectory(directory: string): Promise<void> {
    requireUnreservedFolder(directory);
    await this.#inTurn("syncDirectory", directory, () => this.#folder(directory));
  }

  /** The folder is already exclusively ours, so this only separates users of this disk. */
  async lock(path: string): Promise<DiskLock> {
    requireUnreservedPath(path);
    const refuse = (operation: string, detail: string): never => {
      throw new OrthantError("ORT_LOCKED", `${operation}: ${detail}`, { path, operation });
    };
    if (this.#locks.has(path)) refuse("lock", "already locked in this worker");
    this.#locks.add(path);
    let isHeld = true;
    return {
      token: systemRandomBits().toString(16).padStart(16, "0"),
      // A page that lost the folder has lost its open files with it.
      isContested: false,
      settle: async () => undefined,
      requireHeld: async () => {
        if (!isHeld) refuse("requireHeld", "the lock was released");
        if (!this.#claim.isHeld) refuse("requireHeld", "the folder is no longer ours");
      },
      release: async () => {
        if (isHeld) this.#locks.delete(path);
        isHeld = false;
      },
    };
  }

  /**
   * Replaces a file with another. The browser could do it in one step, but would delete the old one at once.
   * So for a moment neither has the name; if the worker ends then, {@link #finishReplacing} completes the
   * step.
   */
  async #replace(old: Found, found: Found, folder: FileSystemDirectoryHandle, path: string): Promise<void> {
    await moveFile(old, this.#gone.folder, GoneFiles.nameWhileReplaced(path));
    try {
      await moveFile(found, folder, nameOf(path));
    } catch (error) {
      await moveFile(old, folder, nameOf(path));
      throw error;
    }
    this.#forget(path);
    await moveFile(old, this.#gone.folder, this.#gone.newName());
    await this.#gone.sweep();
  }

  async #finishReplacing(): Promise<void> {
    for (const { path, file } of await this.#gone.replaced()) {
      const old = { file, content: undefined };
      const isReplaced = (await this.#lookFor(path)) !== undefined;
      if (isReplaced) await moveFile(old, this.#gone.folder, this.#gone.newName());
      else await moveFile(old, await this.#folder(parentOf(path)), nameOf(path));
    }
  }

  async #create(path: string): Promise<Found> {
    const folder = await this.#folder(parentOf(path));
    const found = await this.#lookFor(path).catch(as("TypeMismatchError", "ORT_EXISTS", path));
    if (found !== undefined) throw diskError("ORT_EXISTS", "create found the name taken", path);
    const file = await folder.getFileHandle(nameOf(path), { create: true });
    return { file: file as OriginFile, content: undefined };
  }

  async #find(path: string): Promise<Found> {
    const found = await this.#lookFor(path);
    if (found === undefined) throw diskError("ORT_NOT_FOUND", "no such file", path);
    return found;
  }

  async #lookFor(path: string): Promise<Found | undefined> {
    const content = this.#contents.get(path);
    if (content !== undefined) return { file: content.file, content };
    try {
      const folder = await this.#folder(parentOf(path));
      return { file: (await folder.getFileHandle(nameOf(path))) as OriginFile, content };
    } catch (error) {
      if (errorName(error) === "NotFoundError" || isOrthantError(error, "ORT_NOT_FOUND")) return undefined;
      throw error;
    }
  }

  /** Returns a folder of the disk. Folders are never removed, so each is looked up once. */
  async #folder(path: string): Promise<FileSystemDirectoryHandle> {
    const known = this.#folders.get(path);
    if (known !== undefined) return known;
    const parent = await this.#folder(parentOf(path));
    const folder = await parent
      .getDirectoryHandle(nameOf(path))
      .catch(as("TypeMismatchError", "ORT_NOT_FOUND", path));
    this.#folders.set(path, folder);
    return folder;
  }

  /** Marks the open content of a path as having lost this name. */
  #forget(path: string): void {
    const content = this.#contents.get(path);
    if (content !== undefined) content.path = undefined;
    this.#contents.delete(path);
  }

  #release(content: OpfsContent): Promise<void> {
    return this.#queue(async () => {
      content.users--;
      if (content.users > 0) return;
      content.close();
      if (content.path !== undefined) this.#contents.delete(content.path);
    });
  }

  #inTurn<Result>(operation: string, path: string, work: () => Promise<Result>): Promise<Result> {
    return this.#queue(() =>
      wrapErrors(operation, path, () => {
        if (this.#isClosed) throw diskError("ORT_CLOSED", `${operation} on a disk that was closed`, path);
        return work();
      }),
    );
  }

  /** Serializes changes of names, since their steps must not interleave. */
  #queue<Result>(work: () => Promise<Result>): Promise<Result> {
    const result = this.#turn.then(work);
    this.#turn = result.catch(() => undefined);
    return result;
  }
}

async function moveFile(
  { file, content }: Found,
  folder: FileSystemDirectoryHandle,
  name: string,
): Promise<void> {
  if (content === undefined) await patiently(() => file.move(folder, name));
  else await content.move(folder, name);
}

function requireUnreservedPath(path: string): void {
  requirePath(path);
  if (path !== GONE_FOLDER && !path.startsWith(`${GONE_FOLDER}/`)) return;
  throw diskError("ORT_PATH", `${GONE_FOLDER} is the disk's own`, path);
}

function requireUnreservedFolder(path: string): void {
  if (path !== "") requireUnreservedPath(path);
}

/** Rethrows a browser error of this name as one of ours. */
function as(name: string, code: ErrorCode, path: string): (error: unknown) => never {
  return (error) => {
    throw errorName(error) === name ? diskError(code, String(error), path, error) : error;
  };
}

function diskError(code: ErrorCode, detail: string, path: string, cause?: unknown): OrthantError {
  return new OrthantError(code, detail, { path }, { cause });
}
