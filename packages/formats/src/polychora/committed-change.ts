import { pageFile } from "./files/file-names.ts";
import type { LeafEntry } from "./records/leaf-entry.ts";
import type { LeafIndex } from "./tree-index/leaf-index.ts";

/** What a commit put in the place of what. */
export interface CommittedChange {
  readonly added: readonly LeafEntry[];
  readonly removed: readonly LeafEntry[];
  /** Paths of pages of the index that it wrote, and of those that the generation before had and it has not. */
  readonly addedPages: readonly string[];
  readonly removedPages: readonly string[];
}

/** That of a writer that has committed nothing. */
export const NO_CHANGE: CommittedChange = { added: [], removed: [], addedPages: [], removedPages: [] };

/** What a generation has that the one before has not, and the other way around. */
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
