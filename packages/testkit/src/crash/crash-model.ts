import type { Effect } from "./effect.ts";
import type { DiskOperation } from "./operation.ts";

/** What a kind of file system promises: which effects a sync saves, and which others can survive together. */
export interface CrashModel {
  readonly name: string;
  /** Whether a drive may also leave half a sector. */
  readonly tearsSectors: boolean;
  /** Whether this sync, coming after the effect, makes it durable. */
  saves(sync: DiskOperation, effect: Effect): boolean;
  /** Given all effects not saved, in order, and which are kept, drops those that could not have survived. */
  settle(pending: readonly Effect[], kept: boolean[]): void;
}

/** ext4, data=ordered: names and truncates are a journal, kept as a prefix; a file grows only over written data. */
export const EXT4: CrashModel = {
  name: "ext4",
  tearsSectors: false,
  saves: (sync, effect) => isJournaled(effect) || savesContent(sync, effect),
  settle(pending, kept) {
    keepPrefix(pending, kept, isJournaled);
    keepGrowthOverData(pending, kept);
  },
};

/** xfs: names and sizes are a journal, kept as a prefix; data comes when it comes, so a grown file may hold zeros. */
export const XFS: CrashModel = {
  name: "xfs",
  tearsSectors: false,
  saves: (sync, effect) => effect.kind !== "data" || savesContent(sync, effect),
  settle: (pending, kept) => keepPrefix(pending, kept, (effect) => effect.kind !== "data"),
};

/** btrfs and its like: a transaction keeps all up to a moment; past it, a sync saves its own file or directory only. */
export const BTRFS: CrashModel = {
  name: "btrfs",
  tearsSectors: false,
  saves: (sync, effect) =>
    savesContent(sync, effect) ||
    savesNames(sync, effect) ||
    (sync.kind === "sync" && effect.kind === "name" && effect.inode === sync.inode),
  settle: (pending, kept) => keepPrefix(pending, kept, () => true),
};

/** The least that POSIX promises: a sync saves its own file's content or its own directory's names, and no more. */
export const WEAK: CrashModel = {
  name: "weak",
  tearsSectors: true,
  saves: (sync, effect) => savesContent(sync, effect) || savesNames(sync, effect),
  settle: () => undefined,
};

/**
 * The private files of a browser, and not one of the four, as it breaks what the port promises: a sync of a directory
 * saves nothing. The names are kept as a prefix, and what a removed file held is kept with them.
 */
export const OPFS: CrashModel = {
  name: "opfs",
  tearsSectors: true,
  saves: savesContent,
  settle: (pending, kept) => keepPrefix(pending, kept, (effect) => effect.kind === "name"),
};

/** The four of the machine's own disks, the strictest on us last. */
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

/** Of the effects that belong to the journal, drops all from the first operation of which one was lost. */
function keepPrefix(pending: readonly Effect[], kept: boolean[], belongs: (effect: Effect) => boolean): void {
  const firstLost =
    pending.find((effect, index) => belongs(effect) && kept[index] !== true)?.step ?? Infinity;
  pending.forEach((effect, index) => {
    if (belongs(effect) && effect.step >= firstLost) kept[index] = false;
  });
}

/** A file grows only when all that was written and cut before has reached the disk. */
function keepGrowthOverData(pending: readonly Effect[], kept: boolean[]): void {
  const behind = new Set<number>();
  pending.forEach((effect, index) => {
    if (effect.kind === "name") return;
    if (effect.kind === "grow" && behind.has(effect.inode)) kept[index] = false;
    else if (kept[index] !== true) behind.add(effect.inode);
  });
}
