import { wrongArgument } from "@orthant/core/arguments";

/**
 * How a file is opened: `read` opens an existing file, `write` opens an existing file for reading and
 * writing, `create` creates a file that must not exist yet and opens it for writing.
 */
export type OpenMode = "read" | "write" | "create";

/** One name in a directory. */
export interface DirectoryEntry {
  readonly name: string;
  readonly kind: "file" | "directory";
}

/**
 * Stores files. All durability goes through this interface, and it guarantees as little as disks do: data
 * written to a file may be lost, in part and in any order, until that file's `sync` has returned; a name that
 * was created, changed or removed may be lost until `syncDirectory` of its directory has returned. A rename
 * is atomic: after a crash a name refers to the old file or the new one, never to neither.
 *
 * Paths are relative to the disk's root, with `/` between names; the root itself is the empty path. A path
 * that is absolute, or has an empty, `.` or `..` part, is rejected with `ORT_PATH`.
 */
export interface Disk {
  /**
   * Opens a file. Throws `ORT_NOT_FOUND` when `read` or `write` finds none, `ORT_EXISTS` when `create` finds
   * one.
   */
  open(path: string, mode: OpenMode): Promise<DiskFile>;

  /** Renames a file in one step, replacing an existing file of the new name. Open files stay open. */
  rename(from: string, to: string): Promise<void>;

  /** Removes a file. Returns whether it existed. Open files stay readable. */
  remove(path: string): Promise<boolean>;

  /** Lists a directory by name in code unit order. Throws `ORT_NOT_FOUND` if it does not exist. */
  list(directory: string): Promise<readonly DirectoryEntry[]>;

  /** Creates a directory whose parent exists; does nothing if it already exists. */
  makeDirectory(path: string): Promise<void>;

  /** Makes the names in a directory durable: those created, changed and removed before the call. */
  syncDirectory(directory: string): Promise<void>;

  /**
   * Takes the lock of that name, or throws `ORT_LOCKED`, which names the holder. A lock ends with its
   * `release` or with its process, whichever comes first.
   */
  lock(path: string): Promise<DiskLock>;
}

/** A disk whose directories can be moved, as in a machine's file system. */
export interface FolderDisk extends Disk {
  /**
   * Renames a directory with its contents, in one step, to an unused name in the same parent. If two callers
   * move the same directory, one of them gets `ORT_NOT_FOUND`. As with any name, the new one may be lost
   * until the parent is synced. Open files stay open.
   */
  moveDirectory(from: string, to: string): Promise<void>;
}

/** An open file. After a failed `sync` or `writeDurably`, writes and syncs throw `ORT_SYNC_FAILED`. */
export interface DiskFile {
  /** Returns the current size in bytes, durable or not. */
  size(): Promise<number>;

  /** Returns a copy of exactly `length` bytes from `offset`. Throws `ORT_TRUNCATED` if the file has fewer. */
  readAt(offset: number, length: number): Promise<Uint8Array>;

  /** Appends bytes and returns the offset of the first. On an error, some of them may have been appended. */
  append(bytes: Uint8Array): Promise<number>;

  /** Overwrites from `offset`, growing the file; a gap reads as zeros. On an error it may be torn. */
  writeAt(offset: number, bytes: Uint8Array): Promise<void>;

  /**
   * Writes like `writeAt` and makes these bytes durable, with a size that covers them, but no earlier writes:
   * one step where the system supports it, instead of a write and a sync. A failure has the same effect as a
   * failed `sync`.
   */
  writeDurably(offset: number, bytes: Uint8Array): Promise<void>;

  /** Truncates the file to `length` bytes, or grows it with zeros. */
  truncate(length: number): Promise<void>;

  /** Makes the file's content and size durable, but not its name. */
  sync(): Promise<void>;

  /** Closes the file. Does not affect durability. Closing twice is harmless. */
  close(): Promise<void>;
}

/** A held lock. */
export interface DiskLock {
  /** 16 hexadecimal digits, unique among all holders ever. Temporary files carry it in their names. */
  readonly token: string;

  /**
   * True when an earlier holder lost the lock because of its silence, but was not proven dead: it may resume
   * at any moment, in the middle of an operation.
   */
  readonly isContested: boolean;

  /** Throws `ORT_LOCKED` when the lock is no longer ours. Check before a step that must have no rival. */
  requireHeld(): Promise<void>;

  /** Declares an earlier holder harmless. Until then, later holders find the lock contested as well. */
  settle(): Promise<void>;

  /** Releases the lock. Releasing twice is harmless. */
  release(): Promise<void>;
}

const DISK_METHODS: readonly (keyof Disk)[] = [
  "open",
  "rename",
  "remove",
  "list",
  "makeDirectory",
  "syncDirectory",
  "lock",
];

/** Throws `ORT_ARGUMENT` unless `value` has the methods of a disk. */
export function requireDisk(name: string, value: unknown): asserts value is Disk {
  const isDisk =
    typeof value === "object" &&
    value !== null &&
    DISK_METHODS.every((method) => typeof (value as Partial<Disk>)[method] === "function");
  if (!isDisk)
    throw wrongArgument(name, value, "it is a Disk, such as new MemoryDisk() or new NodeDisk(path)");
}
