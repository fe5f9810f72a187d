import { INDEX_PAGE_TARGET_BYTES, OLD_PAGE_TARGET_BYTES, type SaveLimits } from "../codec/layout.ts";
import { encodeIndexFile } from "./index-file.ts";
import {
  type IndexVersion,
  type LeafEntry,
  NEWEST_INDEX_VERSION,
  type PageVersion,
  type WholeIndexVersion,
} from "./leaf-entry.ts";
import { LeafIndex, type PageReader } from "./leaf-index.ts";
import { entriesOf, isPage, type TrieNode } from "./leaf-trie.ts";
import { totalsOfPart } from "./page-codec.ts";
import type { PageWriter } from "./page-writer.ts";

/** Options for laying out an index in files. */
interface IndexLayoutOptions {
  readonly generation: number;
  /**
   * 1 for a save that is never split into pages, because its reader knows only the specification; 2 or 3 for one that
   * changes between them as it grows and shrinks.
   */
  readonly version: IndexVersion;
  /** Writes the new pages, if there are any. */
  readonly pages: PageWriter;
  readonly read: PageReader;
}

/** A laid-out index: the file that the manifest names, and its in-memory form. */
export interface LaidOutIndex {
  readonly indexFile: Uint8Array;
  readonly indexVersion: IndexVersion;
  readonly index: LeafIndex;
}

/** Lower bound for the size of a leaf and its node in a single-file index. */
const WHOLE_LEAF_BYTES_MIN = 90;

type Node = TrieNode<LeafEntry>;

/** Returns the version of the pages of an index. One of a single file has none before it grows. */
export function pageVersionOf(version: IndexVersion): PageVersion {
  return version === NEWEST_INDEX_VERSION ? version : 3;
}

/** Returns the maximum size of a page, and of a single-file index, under these limits. Rule S61. */
export function pageTargetBytes(version: IndexVersion, { indexSoftMaxBytes }: SaveLimits): number {
  const targetBytes = version === NEWEST_INDEX_VERSION ? INDEX_PAGE_TARGET_BYTES : OLD_PAGE_TARGET_BYTES;
  return Math.min(targetBytes, indexSoftMaxBytes);
}

/**
 * Lays out the leaves of a generation in files: in one while it is small, else in pages, of which the new
 * ones are emitted. Rules S61 to S63.
 */
export async function layOutIndex(
  root: Node | undefined,
  options: IndexLayoutOptions,
): Promise<LaidOutIndex> {
  const { generation, version, pages, read } = options;
  if (version === 1) return wholeIndex(root, 1, generation, read);
  const { targetBytes } = pages;
  if (version === NEWEST_INDEX_VERSION) {
    const settled = await pages.settle(root);
    const index = LeafIndex.over(settled.root, totalsOfPart(settled.root), read);
    return { indexFile: settled.bytes, indexVersion: version, index };
  }
  const small = smallIndex(root, generation, targetBytes, read);
  if (small !== undefined) return small;
  const settled = await pages.settle(root);
  return (
    smallIndex(settled.root, generation, targetBytes, read) ?? {
      indexFile: settled.bytes,
      indexVersion: 3,
      index: LeafIndex.over(settled.root, totalsOfPart(settled.root), read),
    }
  );
}

/** Returns a single-file index; `undefined` if it would be too large, or some leaves are in pages. */
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
