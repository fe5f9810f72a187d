import { INDEX_PAGE_TARGET_BYTES } from "../layout.ts";
import type { SaveLimits } from "../limits.ts";
import type { IndexVersion, LeafEntry, WholeIndexVersion } from "../records/leaf-entry.ts";
import { encodeIndexFile } from "./index-file.ts";
import { LeafIndex, type PageReader } from "./leaf-index.ts";
import { entriesOf, isPage, type TrieNode } from "./leaf-trie.ts";
import { PAGE_VERSION, totalsOfPart } from "./page-codec.ts";
import type { PageWriter } from "./page-writer.ts";

/** How an index is laid out in files. */
export interface IndexLayoutOptions {
  readonly generation: number;
  /** 1 for a save that is never split, because its reader knows the specification and no more. */
  readonly version: IndexVersion | undefined;
  /** Writes the pages that are new, if there are any. */
  readonly pages: PageWriter;
  readonly read: PageReader;
}

/** An index in files: the one that the manifest names, and what is in memory of all. */
export interface LaidOutIndex {
  readonly indexFile: Uint8Array;
  readonly indexVersion: IndexVersion;
  readonly index: LeafIndex;
}

/** A node with a leaf takes more than this in an index of one file. */
const WHOLE_LEAF_BYTES_MIN = 90;

type Node = TrieNode<LeafEntry>;

/** How large a page may be in a save with these limits, and an index of one file. */
export function pageTargetBytes({ indexSoftMaxBytes }: SaveLimits): number {
  return Math.min(INDEX_PAGE_TARGET_BYTES, indexSoftMaxBytes);
}

/**
 * Lays the leaves of a generation out in files: in one, as long as that is small, else in pages, of which those that
 * are new are handed over. Rules S61 to S63.
 */
export async function layOutIndex(
  root: Node | undefined,
  options: IndexLayoutOptions,
): Promise<LaidOutIndex> {
  const { generation, version, pages, read } = options;
  if (version === 1) return wholeIndex(root, 1, generation, read);
  const { targetBytes } = pages;
  const small = smallIndex(root, generation, targetBytes, read);
  if (small !== undefined) return small;
  const settled = await pages.settle(root);
  return (
    smallIndex(settled.root, generation, targetBytes, read) ?? {
      indexFile: settled.bytes,
      indexVersion: PAGE_VERSION,
      index: LeafIndex.over(settled.root, totalsOfPart(settled.root), read),
    }
  );
}

/** An index of one file; `undefined` when that would be too large, or a part of the leaves is in pages. */
function smallIndex(
  root: Node | undefined,
  generation: number,
  bytesMax: number,
  read: PageReader,
): LaidOutIndex | undefined {
  let bytes = 0;
  for (const entry of entriesOf(root)) {
    bytes += WHOLE_LEAF_BYTES_MIN;
    if (isPage(entry) || bytes > bytesMax) return undefined;
  }
  const whole = wholeIndex(root, 2, generation, read);
  return whole.indexFile.length <= bytesMax ? whole : undefined;
}

function wholeIndex(
  root: Node | undefined,
  version: WholeIndexVersion,
  generation: number,
  read: PageReader,
): LaidOutIndex {
  const leaves = [...entriesOf(root)] as readonly LeafEntry[];
  return {
    indexFile: encodeIndexFile({ version, generation, leaves }),
    indexVersion: version,
    index: LeafIndex.over(root, totalsOfPart(root), read),
  };
}
