import type { DiskOperation, Effect } from "./operation.ts";

/** What a kind of file system guarantees: which effects a sync saves, and which can survive together. */
export interface CrashModel {
  readonly name: string;
  /** Whether a drive may also leave half a sector. */
  readonly tearsSectors: boolean;
  /** Whether this sync, following the effect, makes it durable. */
  saves(sync: DiskOperation, effect: Effect): boolean;
  /** Given all unsaved effects, in order, and which are kept, drops those that could not have survived. */
  settle(pending: readonly Effect[], kept: boolean[]): void;
}

/**
 * ext4, data=ordered: names and truncates survive as a journal's prefix; files grow over written data only.
 */
export const EXT4: CrashModel = {
  name: "ext4",
  tearsSectors: false,
  saves: (sync, effect) => isJournaled(effect) || savesContent(sync, effect),
  settle(pending, kept) {
    keepPrefix(pending, kept, isJournaled);
    keepGrowthOverData(pending, kept);
  },
};

/**
 * xfs: names and sizes survive as a journal's prefix; data is independent, so a grown file may have zeros.
 */
export const XFS: CrashModel = {
  name: "xfs",
  tearsSectors: false,
  saves: (sync, effect) => effect.kind !== "data" || savesContent(sync, effect),
  settle: (pending, kept) => keepPrefix(pending, kept, (effect) => effect.kind !== "data"),
};

/**
 * btrfs and similar: a transaction keeps a prefix; beyond it, a sync saves only its own file or directory.
 */
export const BTRFS: CrashModel = {
  name: "btrfs",
  tearsSectors: false,
  saves: (sync, effect) =>
    savesContent(sync, effect) ||
    savesNames(sync, effect) ||
    (sync.kind === "sync" && effect.kind === "name" && effect.inode === sync.inode),
  settle: (pending, kept) => keepPrefix(pending, kept, () => true),
};

/** The minimum of POSIX: a sync saves only its own file's content or its own directory's names. */
export const WEAK: CrashModel = {
  name: "weak",
  tearsSectors: true,
  saves: (sync, effect) => savesContent(sync, effect) || savesNames(sync, effect),
  settle: () => undefined,
};

/**
 * The private files of a browser. Not one of the four, because it breaks the port's guarantees: a sync of a
 * directory saves nothing. The names survive as a prefix, together with the contents of removed files.
 */
export const OPFS: CrashModel = {
  name: "opfs",
  tearsSectors: true,
  saves: savesContent,
  settle: (pending, kept) => keepPrefix(pending, kept, (effect) => effect.kind === "name"),
};

/** The four models of a machine's own disks, the strictest last. */
export const CRASH_MODELS: readonly CrashModel[] = [EXT4, XFS, BTRFS, WEAK];

function isJournaled(effect: Effect): boolean {
  return effect.kind === "name" || effect.kind === "truncate";
}

function savesContent(sync: DiskOperation, effect: Effect): boolean {
  return sync.kind === "sync" && effect.kind !== "name" && effect.inode === sync.inode;
}

function savesNames(sync: DiskOperation, effect: Effect): boolean {
  // A move between directories counts as saved by either: it is one step, so half of it cannot be.
  return sync.kind === "syncDirectory" && effect.kind === "name" && effect.directories.includes(sync.path);
}

/** Among journaled effects, drops everything from the first operation that lost one. */
function keepPrefix(pending: readonly Effect[], kept: boolean[], belongs: (effect: Effect) => boolean): void {
  const firstLost =
    pending.find((effect, index) => belongs(effect) && kept[index] !== true)?.step ?? Infinity;
  pending.forEach((effect, index) => {
    if (belongs(effect) && effect.step >= firstLost) kept[index] = false;
  });
}

/** A file grows only when all earlier writes and truncates have reached the disk. */
function keepGrowthOverData(pending: readonly Effect[], kept: boolean[]): void {
  const behind = new Set<number>();
  pending.forEach((effect, index) => {
    if (effect.kind === "name") return;
    if (effect.kind === "grow" && behind.has(effect.inode)) kept[index] = false;
    else if (kept[index] !== true) behind.add(effect.inode);
  });
}
