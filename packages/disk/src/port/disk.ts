/**
 * How a file is opened: `read` an existing one; `write` to an existing one, which also reads; `create` one
 * that must not exist yet, for writing.
 */
export type OpenMode = "read" | "write" | "create";

/** One name in a directory. */
export interface DirectoryEntry {
  readonly name: string;
  readonly kind: "file" | "directory";
}

/**
 * A place that keeps files. All durability goes through it, and it promises little, as disks do: what is
 * written to a file may be lost, in part and in any order, until that file's `sync` has returned; a name that
 * was made, changed or removed may be lost until `syncDirectory` of its directory has returned. A rename is
 * atomic: after a crash a name means the old file or the new one, never neither.
 *
 * Paths are relative to the disk's root, with `/` between names; the root itself is the empty path. A path
 * that is absolute, or has an empty, `.` or `..` part, is refused with `ORT_PATH`.
 */
export interface Disk {
  /** Opens a file. `ORT_NOT_FOUND` when `read` or `write` finds none, `ORT_EXISTS` when `create` finds one. */
  open(path: string, mode: OpenMode): Promise<DiskFile>;

  /** Gives a file a new name in one step, replacing the file that had it. Open files stay open. */
  rename(from: string, to: string): Promise<void>;

  /** Removes a file; tells whether there was one. Open files stay readable. */
  remove(path: string): Promise<boolean>;

  /** What is in a directory, sorted by name in code unit order. `ORT_NOT_FOUND` when there is no such directory. */
  list(directory: string): Promise<readonly DirectoryEntry[]>;

  /** Makes a directory whose parent exists; does nothing when it is there already. */
  makeDirectory(path: string): Promise<void>;

  /** Makes the names in a directory durable: those made, changed and removed before the call. */
  syncDirectory(directory: string): Promise<void>;

  /**
   * Takes the one lock of that name, or throws `ORT_LOCKED`, which says who has it. A lock ends with its
   * `release` or with the process that holds it, whichever is first.
   */
  lock(path: string): Promise<DiskLock>;
}

/** A disk whose directories can be moved, as those of a machine's file system. */
export interface FolderDisk extends Disk {
  /**
   * Gives a directory, with all that is in it, a new name beside it that nothing has, in one step. Of two who move the
   * same one, one finds it gone: `ORT_NOT_FOUND`. As any name, the new one may be lost until the parent is synced. Open
   * files stay open.
   */
  moveDirectory(from: string, to: string): Promise<void>;
}

/** An open file. After a failed `sync` or `writeDurably` it refuses every write and sync with `ORT_DISK_POISONED`. */
export interface DiskFile {
  /** Bytes in the file now, durable or not. */
  size(): Promise<number>;

  /** Exactly `length` bytes from `offset`, as a copy; `ORT_TRUNCATED` where the file has fewer. */
  readAt(offset: number, length: number): Promise<Uint8Array>;

  /** Adds bytes at the end; gives the offset of the first. On an error some of them may have been added. */
  append(bytes: Uint8Array): Promise<number>;

  /** Overwrites from `offset`, growing the file as needed; a gap reads as zeros. On an error it may be torn. */
  writeAt(offset: number, bytes: Uint8Array): Promise<void>;

  /**
   * Writes as `writeAt` does, and makes these bytes durable, and a size that holds them, but nothing else that was
   * written before: one step where the system has it, instead of a write and a sync. When it fails the file is as after
   * a failed `sync`.
   */
  writeDurably(offset: number, bytes: Uint8Array): Promise<void>;

  /** Cuts the file to `length` bytes, or grows it with zeros. */
  truncate(length: number): Promise<void>;

  /** Makes the file's content and size durable, but not its name. */
  sync(): Promise<void>;

  /** Closes the file. Says nothing about durability. Closing twice is harmless. */
  close(): Promise<void>;
}

/** A lock that was taken. */
export interface DiskLock {
  /** 16 hexadecimal digits that no other holder has or had. Temporary files carry it in their names. */
  readonly token: string;

  /**
   * True when an earlier holder lost the lock by its silence, but was not proven dead: it may
   * go on at any moment, in the middle of what it did.
   */
  readonly isContested: boolean;

  /** Throws `ORT_LOCKED` when the lock is no longer ours. Ask before a step that must have no rival. */
  requireHeld(): Promise<void>;

  /** Says that an earlier holder can do no more harm. Until then later holders find the lock contested as well. */
  settle(): Promise<void>;

  /** Gives the lock back. Releasing twice is harmless. */
  release(): Promise<void>;
}
