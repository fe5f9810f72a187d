import { type Box, OrthantError } from "@orthant/core";
import { describeCell } from "./cell.ts";
import type { IndexTotals } from "./index-totals.ts";
import { Branch, type HasCell, type TrieNode } from "./leaf-trie.ts";

/** What an entry of a page says about another page. */
export interface PageLink {
  /** The least aligned cube around all leaves in the page. */
  readonly cell: Box;
  /** The generation that wrote the page. */
  readonly generation: number;
  /** Which of the pages of that generation it is, from 1 on. */
  readonly number: number;
  /** How long the file is. */
  readonly bytes: number;
  /** The checksum of the whole file. */
  readonly crc32: number;
  /** How many links may be below it, one under the other; 0 for a page with leaves alone. */
  readonly height: number;
  readonly totals: IndexTotals;
}

/** A branch of the index that lies in a file of its own, and is in memory when somebody needed it. */
export class IndexPage<Leaf extends HasCell> {
  readonly kind = "page";
  readonly cell: Box;
  /** Where the page lies; `undefined` as long as it is not written. */
  readonly link: PageLink | undefined;
  #content: Branch<Leaf> | undefined;
  #reading: Promise<Branch<Leaf>> | undefined;
  #holders = 0;

  constructor(place: { readonly link: PageLink } | { readonly content: Branch<Leaf> }) {
    this.link = "link" in place ? place.link : undefined;
    this.cell = "link" in place ? place.link.cell : place.content.cell;
    this.#content = "link" in place ? undefined : place.content;
  }

  /** A page that was written just now, and is in memory. */
  static written<Leaf extends HasCell>(link: PageLink, content: Branch<Leaf>): IndexPage<Leaf> {
    const page = new IndexPage<Leaf>({ link });
    page.#content = content;
    return page;
  }

  /** What it holds; `undefined` when that is not in memory. */
  get content(): Branch<Leaf> | undefined {
    return this.#content;
  }

  /** What it holds; `ORT_NOT_LOADED` when that is not in memory. */
  require(): Branch<Leaf> {
    if (this.#content !== undefined) return this.#content;
    throw new OrthantError(
      "ORT_NOT_LOADED",
      `the leaves at ${describeCell(this.cell)} were not loaded before they were asked for`,
    );
  }

  /** What it holds, read with the given function unless it is in memory or being read, and kept from then on. */
  async load(read: (link: PageLink) => Promise<Branch<Leaf>>): Promise<Branch<Leaf>> {
    if (this.#content !== undefined || this.link === undefined) return this.require();
    this.#reading ??= read(this.link);
    try {
      this.#content = await this.#reading;
      return this.#content;
    } finally {
      this.#reading = undefined;
    }
  }

  /** What it holds, read for this once unless it is in memory or being read. */
  async peek(read: (link: PageLink) => Promise<Branch<Leaf>>): Promise<Branch<Leaf>> {
    if (this.#content !== undefined || this.link === undefined) return this.require();
    return this.#reading ?? read(this.link);
  }

  /** The page with other content, not written yet; the content alone when it needs no page any more. */
  changed(content: TrieNode<Leaf>): TrieNode<Leaf> {
    return content instanceof Branch ? new IndexPage<Leaf>({ content }) : content;
  }

  /** Keeps what is in memory there until {@link release}. */
  hold(): void {
    this.#holders++;
  }

  /** Ends a {@link hold}. */
  release(): void {
    this.#holders--;
  }

  /** Lets go of what is in memory, unless somebody holds it or it is nowhere else. */
  unload(): void {
    if (this.#holders === 0 && this.link !== undefined) this.#content = undefined;
  }
}
