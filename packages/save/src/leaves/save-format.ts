import { type BlobFormat, PACKED_BLOBS, PLAIN_BLOBS, TABLE_BLOBS } from "../codec/blob-format.ts";
import { INDEX_PAGE_TARGET_BYTES, OLD_PAGE_TARGET_BYTES, type SaveLimits } from "../codec/layout.ts";
import { encodeIndexFile, withoutClocks } from "./index-file.ts";
import type {
  IndexVersion,
  LeafEntry,
  NewIndexVersion,
  PageVersion,
  WholeIndexVersion,
} from "./leaf-entry.ts";
import { LeafIndex, type PageReader } from "./leaf-index.ts";
import { entriesOf, isPage, type TrieNode } from "./leaf-trie.ts";
import { totalsOfPart } from "./page-codec.ts";
import { type EncodedPage, PageWriter, type SettledIndex } from "./page-writer.ts";

type Node = TrieNode<LeafEntry>;

/** How a save is written. Chosen by its version, once, when it is created or continued. */
export interface SaveFormat {
  /** The version in which its index begins. */
  readonly indexVersion: NewIndexVersion;
  readonly blobs: BlobFormat;
  /** Whether the index stores clocks, and leaves that have nothing else. */
  readonly hasClocks: boolean;
  /**
   * Whether the description of the world may have what the programs of older versions cannot read: its catalog in a
   * record, and the seal of the players file.
   */
  readonly hasRecords: boolean;
  /**
   * Lays out the leaves of a generation in files, of which the new pages are emitted. `build` returns the trie of the
   * leaves, and may write pages itself. Rules S61 to S63.
   */
  layOut(build: TrieBuilder, place: IndexPlace): Promise<LaidOutIndex>;
}

/** Returns the trie of all leaves. Parts that are too large for memory may already be written. */
type TrieBuilder = (pages: PageWriter) => Promise<Node | undefined> | Node | undefined;

/** Where an index is written. */
export interface IndexPlace {
  readonly generation: number;
  readonly limits: SaveLimits;
  /** Receives a finished page. */
  readonly emit: (page: EncodedPage) => Promise<void> | void;
  /** Whether the content of the pages stays in memory. */
  readonly keep: boolean;
  readonly read: PageReader;
}

/** A laid-out index: the file that the manifest names, and its in-memory form. */
export interface LaidOutIndex {
  readonly indexFile: Uint8Array;
  readonly indexVersion: IndexVersion;
  readonly index: LeafIndex;
}

/** The format of new saves: an index of version 4, which always consists of pages. */
export const NEWEST_FORMAT: SaveFormat = {
  indexVersion: 4,
  blobs: TABLE_BLOBS,
  hasClocks: true,
  hasRecords: true,
  async layOut(build, place) {
    const pages = pageWriter(4, pageBytesMax(INDEX_PAGE_TARGET_BYTES, place), place);
    return pagedIndex(await pages.settle(await build(pages)), 4, place);
  },
};

/** The format of Orthant 0.1: an index of version 2, in one file while it is small, and of version 3 in pages. */
const GROWING_FORMAT: SaveFormat = {
  indexVersion: 2,
  blobs: PACKED_BLOBS,
  hasClocks: true,
  hasRecords: false,
  async layOut(build, place) {
    const bytesMax = pageBytesMax(OLD_PAGE_TARGET_BYTES, place);
    const pages = pageWriter(3, bytesMax, place);
    const root = await build(pages);
    const small = smallIndex(root, bytesMax, place);
    if (small !== undefined) return small;
    const settled = await pages.settle(root);
    return smallIndex(settled.root, bytesMax, place) ?? pagedIndex(settled, 3, place);
  },
};

/** The format of the specification, for readers that know nothing else: an index of version 1, in one file. */
const SPECIFIED_FORMAT: SaveFormat = {
  indexVersion: 1,
  blobs: PLAIN_BLOBS,
  hasClocks: false,
  hasRecords: false,
  async layOut(build, place) {
    // Without a limit it needs no pages, of whatever version.
    return wholeIndex(await build(pageWriter(3, Infinity, place)), 1, place);
  },
};

/** Returns the format of a save whose index has this version. */
export function saveFormatOf(version: IndexVersion): SaveFormat {
  if (version === NEWEST_FORMAT.indexVersion) return NEWEST_FORMAT;
  return version === SPECIFIED_FORMAT.indexVersion ? SPECIFIED_FORMAT : GROWING_FORMAT;
}

/** Returns leaves as a format can store them. */
export function storableLeaves(
  leaves: readonly LeafEntry[],
  { hasClocks }: SaveFormat,
): { readonly leaves: readonly LeafEntry[]; readonly droppedClocks: number } {
  if (hasClocks) return { leaves, droppedClocks: 0 };
  return {
    leaves: leaves
      .filter(({ chunkRefs, entityRefs }) => chunkRefs.length + entityRefs.length > 0)
      .map(withoutClocks),
    droppedClocks: leaves.reduce((sum, { clocks }) => sum + clocks.length, 0),
  };
}

/** Returns the maximum size of a page, and of a single-file index. Rule S61. */
function pageBytesMax(targetBytes: number, { limits }: IndexPlace): number {
  return Math.min(targetBytes, limits.indexSoftMaxBytes);
}

function pageWriter(
  version: PageVersion,
  targetBytes: number,
  { generation, emit, keep }: IndexPlace,
): PageWriter {
  return new PageWriter({ version, targetBytes, generation, emit, keep });
}

function pagedIndex(
  { root, bytes }: SettledIndex,
  indexVersion: PageVersion,
  { read }: IndexPlace,
): LaidOutIndex {
  return { indexFile: bytes, indexVersion, index: LeafIndex.over(root, totalsOfPart(root), read) };
}

/** Lower bound for the size of a leaf and its node in a single-file index. */
const WHOLE_LEAF_BYTES_MIN = 90;

/** Returns a single-file index; `undefined` if it would be too large, or some leaves are in pages. */
function smallIndex(root: Node | undefined, bytesMax: number, place: IndexPlace): LaidOutIndex | undefined {
  let bytes = 0;
  for (const entry of entriesOf(root)) {
    bytes += WHOLE_LEAF_BYTES_MIN;
    if (isPage(entry) || bytes > bytesMax) return undefined;
  }
  const whole = wholeIndex(root, 2, place);
  return whole.indexFile.length <= bytesMax ? whole : undefined;
}

function wholeIndex(
  root: Node | undefined,
  version: WholeIndexVersion,
  { generation, read }: IndexPlace,
): LaidOutIndex {
  const leaves = [...entriesOf(root)] as readonly LeafEntry[];
  return {
    indexFile: encodeIndexFile({ version, generation, leaves }),
    indexVersion: version,
    index: LeafIndex.over(root, totalsOfPart(root), read),
  };
}
