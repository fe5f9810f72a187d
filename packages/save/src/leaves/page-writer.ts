import { NO_PARTS, type TaggedPart } from "../codec/blob-sections.ts";
import { pageFile } from "../codec/files.ts";
import type { LeafEntry, PageVersion } from "./leaf-entry.ts";
import { entriesOf, IndexPage, isBranch, isPage, type TrieBranch, type TrieNode } from "./leaf-trie.ts";
import { encodePage, linkOf, type PageId } from "./page-codec.ts";

/** A page to be written to the disk. */
export interface NewPage {
  readonly path: string;
  /** `undefined` if they are already in the page's temporary file. */
  readonly bytes: Uint8Array | undefined;
}

/** A page and its bytes. */
export interface EncodedPage extends NewPage {
  readonly bytes: Uint8Array;
}

/** An index whose pages are all written. */
export interface SettledIndex {
  readonly root: TrieNode<LeafEntry> | undefined;
  /** The encoded root. */
  readonly bytes: Uint8Array;
}

/** Options for writing pages. */
interface PageWriterOptions {
  readonly version: PageVersion;
  readonly generation: number;
  /** Size above which a page is split. */
  readonly targetBytes: number;
  /** Receives a finished page. */
  readonly emit: (page: EncodedPage) => Promise<void> | void;
  /** Whether the content of the pages stays in memory. */
  readonly keep: boolean;
}

/** A page that is split moves its heaviest parts out until this share of the target remains. */
const CUT_SHARE = 1 / 2;
/** A changed page below this share of the target is merged into its parent. */
const SMALL_SHARE = 1 / 8;
/**
 * Approximate bytes of an entry without its references and clocks, of a reference, of a clock and of a link.
 */
const LEAF_BYTES = 9;
const REF_BYTES = 13;
const CLOCK_BYTES = 6;
const LINK_BYTES = 30;
/** Approximate bytes that locate a part. */
const PART_BYTES = 3;

type Node = TrieNode<LeafEntry>;
type Part = TrieBranch<LeafEntry>;

/** Splits an index into pages and writes those not written yet. Rules S61 and S62. */
export class PageWriter {
  readonly #options: PageWriterOptions;
  #lastNumber = 0;

  constructor(options: PageWriterOptions) {
    this.#options = options;
  }

  /** Writes every unwritten page among the leaves. Returns the resulting trie and its encoded root. */
  async settle(root: Node | undefined): Promise<SettledIndex> {
    const id = { generation: this.#options.generation, number: 0 };
    // A root that consists of a single page is that page, if it is in memory.
    const part = isPage(root) ? (root.content ?? root) : root;
    if (!isBranch(part)) return { root: part, bytes: encodePage(id, part, this.#options.version) };
    const settled = await this.#settleBelow(part);
    const { part: fitting, bytes } = await this.#fit(settled, id);
    return { root: fitting, bytes };
  }

  /** Size above which a page is split. */
  get targetBytes(): number {
    return this.#options.targetBytes;
  }

  /**
   * Returns a part that fits a page: if it is too large, moves its heaviest branches to separate pages until
   * half the target size remains. Splits oversized branches first. Pages in the part must already be written.
   * `scale` is the actual size of the entries relative to their weight.
   */
  async shrink(part: Part, scale = 1): Promise<Part> {
    const { targetBytes } = this.#options;
    const weigh = (node: Node): number => weightOf(node) * scale;
    if (weigh(part) <= targetBytes) return part;
    const children: Node[] = [];
    for (const child of part.children)
      children.push(isBranch(child) ? await this.shrink(child, scale) : child);
    const weighed = children.map((child, position) => ({ child, position, weight: weigh(child) }));
    let left = weighed.reduce((sum, { weight }) => sum + weight, 0);
    for (const { child, position, weight } of weighed.sort((a, b) => b.weight - a.weight)) {
      if (left <= targetBytes * CUT_SHARE) break;
      if (!isBranch(child)) continue;
      children[position] = await this.#write(child);
      left += LINK_BYTES - weight;
    }
    return part.withChildren(children);
  }

  /** Writes the changed pages of a part, or inlines their content if it is small. */
  async #settleBelow(part: Part): Promise<Part> {
    const { targetBytes } = this.#options;
    let room = targetBytes * CUT_SHARE - weightOf(part);
    const settleChild = async (child: Node): Promise<Node> => {
      if (isBranch(child)) return settleBranch(child);
      if (!isPage(child) || child.link !== undefined) return child;
      const content = await this.#settleBelow(child.require());
      const weight = weightOf(content);
      if (weight > Math.min(room, targetBytes * SMALL_SHARE)) return this.#write(content);
      room -= weight;
      return content;
    };
    const settleBranch = async (branch: Part): Promise<Part> => {
      const children: Node[] = [];
      for (const child of branch.children) children.push(await settleChild(child));
      return branch.withChildren(children);
    };
    return settleBranch(part);
  }

  async #write(part: Part): Promise<IndexPage<LeafEntry>> {
    const { generation, emit, keep } = this.#options;
    const id = { generation, number: ++this.#lastNumber };
    const { part: content, bytes } = await this.#fit(part, id);
    await emit({ path: pageFile(id), bytes });
    const link = linkOf(id, content, bytes);
    return keep ? IndexPage.written(link, content) : new IndexPage<LeafEntry>({ link });
  }

  /** Encodes the page of a part, splitting the part if it is too large. */
  async #fit(part: Part, id: PageId): Promise<{ readonly part: Part; readonly bytes: Uint8Array }> {
    const { version, targetBytes } = this.#options;
    const bytes = encodePage(id, part, version);
    if (bytes.length <= targetBytes) return { part, bytes };
    const shrunk = await this.shrink(part, Math.max(1, bytes.length / weightOf(part)));
    return { part: shrunk, bytes: encodePage(id, shrunk, version) };
  }
}

/** Returns approximately how many bytes of a page a part takes. */
function weightOf(part: Node): number {
  let weight = 0;
  for (const entry of entriesOf(part)) {
    weight += isPage(entry) ? LINK_BYTES + weightOfParts(entry.link?.parts) : weightOfLeaf(entry);
  }
  return weight;
}

/** Returns approximately how many bytes of a page a leaf takes. */
export function weightOfLeaf({ chunkRefs, entityRefs, clocks, parts }: LeafEntry): number {
  const refs = chunkRefs.length + entityRefs.length;
  return LEAF_BYTES + refs * REF_BYTES + clocks.length * CLOCK_BYTES + weightOfParts(parts);
}

function weightOfParts(parts: readonly TaggedPart[] = NO_PARTS): number {
  return parts.reduce((sum, { bytes }) => sum + bytes.length + PART_BYTES, 0);
}
