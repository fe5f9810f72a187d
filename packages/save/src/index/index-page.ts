import { type Box, OrthantError } from "@orthant/core";
import { describeCell } from "./cell.ts";
import type { IndexTotals } from "./index-totals.ts";
import { Branch, type HasCell, type TrieNode } from "./leaf-trie.ts";

/** A page's entry for another page. */
export interface PageLink {
  /** Smallest aligned cube around all leaves in the page. */
  readonly cell: Box;
  /** Generation that wrote the page. */
  readonly generation: number;
  /** Number of the page within that generation, starting at 1. */
  readonly number: number;
  /** Size of the file. */
  readonly bytes: number;
  /** Checksum of the whole file. */
  readonly crc32: number;
  /** Maximum number of links below it on one path; 0 for a page with only leaves. */
  readonly height: number;
  readonly totals: IndexTotals;
}

/** A branch of the index in a separate file, loaded into memory on demand. */
export class IndexPage<Leaf extends HasCell> {
  readonly kind = "page";
  readonly cell: Box;
  /** Location of the page; `undefined` until it is written. */
  readonly link: PageLink | undefined;
  #content: Branch<Leaf> | undefined;
  #reading: Promise<Branch<Leaf>> | undefined;
  #holders = 0;

  constructor(position: { readonly link: PageLink } | { readonly content: Branch<Leaf> }) {
    this.link = "link" in position ? position.link : undefined;
    this.cell = "link" in position ? position.link.cell : position.content.cell;
    this.#content = "link" in position ? undefined : position.content;
  }

  /** Creates a page that was just written and is in memory. */
  static written<Leaf extends HasCell>(link: PageLink, content: Branch<Leaf>): IndexPage<Leaf> {
    const page = new IndexPage<Leaf>({ link });
    page.#content = content;
    return page;
  }

  /** Its content; `undefined` if it is not in memory. */
  get content(): Branch<Leaf> | undefined {
    return this.#content;
  }

  /** Returns its content. Throws `ORT_NOT_LOADED` if it is not in memory. */
  require(): Branch<Leaf> {
    if (this.#content !== undefined) return this.#content;
    throw new OrthantError(
      "ORT_NOT_LOADED",
      `the leaves at ${describeCell(this.cell)} were not loaded before they were asked for`,
    );
  }

  /** Returns its content and keeps it in memory. Calls `read` unless it is loaded or being read. */
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

  /** Returns its content without keeping it. Calls `read` unless it is loaded or being read. */
  async peek(read: (link: PageLink) => Promise<Branch<Leaf>>): Promise<Branch<Leaf>> {
    if (this.#content !== undefined || this.link === undefined) return this.require();
    return this.#reading ?? read(this.link);
  }

  /**
   * Returns the page with other content, not written yet, or just the content if it no longer needs a page.
   */
  changed(content: TrieNode<Leaf>): TrieNode<Leaf> {
    return content instanceof Branch ? new IndexPage<Leaf>({ content }) : content;
  }

  /** Keeps loaded content in memory until {@link release}. */
  hold(): void {
    this.#holders++;
  }

  /** Ends a {@link hold}. */
  release(): void {
    this.#holders--;
  }

  /** Drops the content from memory, unless it is held or not written yet. */
  unload(): void {
    if (this.#holders === 0 && this.link !== undefined) this.#content = undefined;
  }
}
