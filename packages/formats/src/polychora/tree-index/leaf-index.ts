import { type Box, boxEquals, comparePlaces, OrthantError, type Place, WHOLE_LATTICE } from "@orthant/core";
import { attempt } from "../../files/attempt.ts";
import { pageFile } from "../files/file-names.ts";
import { LEAF_LEVEL_MAX } from "../layout.ts";
import { LeafGrid } from "../leaves/leaf-grid.ts";
import { LeafMap } from "../leaves/leaf-map.ts";
import { isSameLeaf, type LeafEntry } from "../records/leaf-entry.ts";
import { levelOf } from "./cell.ts";
import type { IndexPage, PageLink } from "./index-page.ts";
import { type IndexTotals, sumTotals, totalsOfLeaf } from "./index-totals.ts";
import {
  type Branch,
  cellFor,
  entriesOf,
  findLeaf,
  isPage,
  leavesTouching,
  loadedPages,
  pushReversed,
  type TrieNode,
  unloadedPages,
} from "./leaf-trie.ts";
import { trieOf } from "./trie-builder.ts";
import { compareTries, type TrieDifference } from "./trie-comparison.ts";

/** A leaf that two generations do not have alike: one that went, one that came, or one in the place of another. */
export interface LeafDifference {
  readonly before?: LeafEntry;
  readonly after?: LeafEntry;
}

/** Reads a page of an index from wherever it lies, and checks it against its link. */
export type PageReader = (link: PageLink) => Promise<Branch<LeafEntry>>;

/** What one file of an index has: the root, or a page. */
export interface IndexPart {
  readonly cell: Box;
  /** Where it lies; `undefined` for the root. */
  readonly link: PageLink | undefined;
  /** Those that are in this file, in lexicographic order of the cells. */
  readonly leaves: readonly LeafEntry[];
  /** Why it cannot be read. */
  readonly error: OrthantError | undefined;
}

type Node = TrieNode<LeafEntry>;

/**
 * The leaves of one generation by place. They never change; what is in memory of them does: an index that lies in
 * several files is read in parts, when {@link load} asks for them. Generations share what they have in common, in
 * memory too. What is synchronous throws `ORT_NOT_LOADED` when it needs a part that was not loaded.
 */
export class LeafIndex {
  /** What all leaves hold together, also those that are not in memory. */
  readonly totals: IndexTotals;
  readonly #root: Node | undefined;
  /** Of a flat save whose regions are no aligned cubes. */
  readonly #grid: LeafGrid<LeafEntry> | undefined;
  readonly #read: PageReader;

  private constructor(
    root: Node | undefined,
    totals: IndexTotals,
    read: PageReader = noPages,
    grid?: LeafGrid<LeafEntry>,
  ) {
    this.#root = root;
    this.totals = totals;
    this.#read = read;
    this.#grid = grid;
  }

  /** All of the leaves in memory: those of a flat save, or of an index that is one file. */
  static of(leaves: readonly LeafEntry[]): LeafIndex {
    const totals = sumTotals(leaves.map(totalsOfLeaf));
    const odd = leaves.find(({ cell }) => (levelOf(cell) ?? Infinity) > LEAF_LEVEL_MAX);
    if (odd === undefined) return new LeafIndex(trieOf(leaves), totals);
    const edge = odd.cell.max[0] - odd.cell.min[0];
    return new LeafIndex(undefined, totals, noPages, new LeafGrid(leaves, edge));
  }

  /** A trie with the pages that it refers to. */
  static over(root: Node | undefined, totals: IndexTotals, read: PageReader): LeafIndex {
    return new LeafIndex(root, totals, read);
  }

  /** A draft of the next generation, with all that these cells touch in memory until the draft is released. */
  async draft(cells: Iterable<Box>): Promise<LeafMap<LeafEntry>> {
    const draft = LeafMap.over(this.#root);
    try {
      for (const cell of cells) {
        // While this waits, somebody may let go of what was loaded.
        do await this.load(cell);
        while (!this.isLoaded(cell));
        draft.hold(cell);
      }
      return draft;
    } catch (error) {
      draft.release();
      throw error;
    }
  }

  /** Reads what a box of chunks touches, and keeps it. */
  async load(box: Box): Promise<void> {
    for (const page of [...unloadedPages(this.#root, box)]) await this.#loadWithin(page, box);
  }

  /** Whether all that a box of chunks touches is in memory. */
  isLoaded(box: Box): boolean {
    return unloadedPages(this.#root, box).next().done === true;
  }

  /** The leaf that holds a chunk. */
  find(place: Place): LeafEntry | undefined {
    return this.#grid === undefined ? findLeaf(this.#root, place, requireContent) : this.#grid.find(place);
  }

  /** The leaf that has exactly this cell. */
  at(cell: Box): LeafEntry | undefined {
    const leaf = this.find(cell.min);
    return leaf !== undefined && boxEquals(leaf.cell, cell) ? leaf : undefined;
  }

  /**
   * The cell for a chunk: that of the leaf which holds it or, when none does, the largest aligned cube around it, up
   * to an edge of 2^16, that has no leaf in it. Needs what a box of this one chunk needs.
   */
  cellFor(place: Place): Box {
    return this.#grid === undefined ? cellFor(this.#root, place, requireContent) : this.#grid.cellFor(place);
  }

  /** The leaves that a box of chunks touches. Costs what is touched, not how many leaves there are. */
  touching(box: Box): Iterable<LeafEntry> {
    return this.#grid?.touching(box) ?? leavesTouching(this.#root, box, requireContent);
  }

  /**
   * Every leaf, page by page, in lexicographic order of the cells within each; all of them in that order when the
   * index is one file. What was not in memory is not kept.
   */
  async *all(): AsyncGenerator<LeafEntry> {
    for await (const { leaves, error } of this.parts()) {
      if (error !== undefined) throw error;
      yield* leaves;
    }
  }

  /**
   * The root and then every page, each with its own leaves. A page that cannot be read is told of, and what it leads
   * to is not. Pages that are passed over are not read. What was not in memory is not kept.
   */
  async *parts(passOver: (link: PageLink) => boolean = () => false): AsyncGenerator<IndexPart> {
    const ahead: IndexPage<LeafEntry>[] = [];
    const leavesOf = (entries: Iterable<LeafEntry | IndexPage<LeafEntry>>): readonly LeafEntry[] => {
      const sorted = [...entries].sort((a, b) => comparePlaces(a.cell.min, b.cell.min));
      pushReversed(ahead, sorted.filter(isPage));
      return sorted.filter((entry): entry is LeafEntry => !isPage(entry));
    };
    const root = this.#grid?.leaves() ?? entriesOf(this.#root);
    yield { cell: WHOLE_LATTICE, link: undefined, leaves: leavesOf(root), error: undefined };
    for (let page = ahead.pop(); page !== undefined; page = ahead.pop()) {
      const { cell, link } = page;
      if (link !== undefined && passOver(link)) continue;
      const [content, error] = await attempt(() => page.peek(this.#read));
      const leaves = content === undefined ? [] : leavesOf(entriesOf<LeafEntry>(content));
      yield { cell, link, leaves, error };
    }
  }

  /** The cells of all leaves that are in the root, and of the pages that it leads to. */
  *outline(): Generator<Box> {
    for (const { cell } of this.#grid?.leaves() ?? entriesOf(this.#root)) yield cell;
  }

  /** The leaves that differ from those of another generation of the same save. Reads only pages that differ. */
  async *changesSince(before: LeafIndex): AsyncGenerator<LeafDifference> {
    for await (const difference of this.differencesSince(before)) {
      if (difference.kind === "page") continue;
      const { kind: _, ...leaves } = difference;
      yield leaves;
    }
  }

  /** The same, and the pages that only one of the two has. */
  differencesSince(before: LeafIndex): AsyncGenerator<TrieDifference<LeafEntry>> {
    if (this.#grid !== undefined || before.#grid !== undefined) {
      throw new OrthantError("ORT_ARGUMENT", "a flat save has one generation to compare");
    }
    return compareTries(before.#root, this.#root, {
      peekBefore: (page) => page.peek(before.#read),
      peekAfter: (page) => page.peek(this.#read),
      isSame: isSameLeaf,
    });
  }

  /** The paths of the files that hold this generation's leaves, beside its root. Reads pages that lead to others. */
  async pageFiles(): Promise<readonly string[]> {
    const files: string[] = [];
    const isLast = (link: PageLink): boolean => {
      files.push(pageFile(link));
      return link.height === 0;
    };
    for await (const { error } of this.parts(isLast)) if (error !== undefined) throw error;
    return files;
  }

  /** Lets go of parts whose cells are not to be kept; they are read again when they are needed. */
  unload(keep: (cell: Box) => boolean): void {
    for (const page of loadedPages(this.#root)) if (!keep(page.cell)) page.unload();
  }

  async #loadWithin(page: IndexPage<LeafEntry>, box: Box): Promise<void> {
    const content = await page.load(this.#read);
    for (const below of [...unloadedPages(content, box)]) await this.#loadWithin(below, box);
  }
}

/** Every leaf of an index at once. For an index of any size, {@link LeafIndex.all} holds less. */
export async function allLeaves(index: LeafIndex): Promise<LeafEntry[]> {
  const leaves: LeafEntry[] = [];
  for await (const leaf of index.all()) leaves.push(leaf);
  return leaves;
}

function requireContent(page: IndexPage<LeafEntry>): Branch<LeafEntry> {
  return page.require();
}

async function noPages(): Promise<never> {
  throw new OrthantError("ORT_ARGUMENT", "an index of one file has no pages");
}
