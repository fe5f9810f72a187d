import { pageFile } from "../codec/files.ts";
import type { LeafEntry } from "./leaf-entry.ts";
import type { LeafIndex } from "./leaf-index.ts";

/** The difference that a commit made. */
export interface CommittedChange {
  readonly added: readonly LeafEntry[];
  readonly removed: readonly LeafEntry[];
  /** Paths of the index pages that it wrote, and of those that only the previous generation had. */
  readonly addedPages: readonly string[];
  readonly removedPages: readonly string[];
}

/** The change of a writer that has committed nothing. */
export const NO_CHANGE: CommittedChange = { added: [], removed: [], addedPages: [], removedPages: [] };

/** Compares a generation with the one before. */
export async function changeBetween(before: LeafIndex, after: LeafIndex): Promise<CommittedChange> {
  const added: LeafEntry[] = [];
  const removed: LeafEntry[] = [];
  const addedPages: string[] = [];
  const removedPages: string[] = [];
  for await (const difference of after.differencesSince(before)) {
    if (difference.kind === "page") {
      if (difference.before !== undefined) removedPages.push(pageFile(difference.before));
      if (difference.after !== undefined) addedPages.push(pageFile(difference.after));
    } else {
      if (difference.before !== undefined) removed.push(difference.before);
      if (difference.after !== undefined) added.push(difference.after);
    }
  }
  return { added, removed, addedPages, removedPages };
}
