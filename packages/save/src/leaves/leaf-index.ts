import { type Box, OrthantError, type Position } from "@orthant/core";
import { boxContainsBox, boxEquals, comparePositions, getOrAdd, WHOLE_LATTICE } from "@orthant/core/lattice";
import { attempt } from "@orthant/disk/files";
import { pageFile } from "../codec/files.ts";
import { childSlot } from "./cube.ts";
import { type IndexTotals, isSameLeaf, type LeafEntry, sumTotals, totalsOfLeaf } from "./leaf-entry.ts";
import { LeafMap } from "./leaf-map.ts";
import {
  cubeFor,
  entriesOf,
  findLeaf,
  type HasCube,
  type IndexPage,
  isBranch,
  isPage,
  leavesTouching,
  loadedPages,
  type PageLink,
  pushReversed,
  type TrieBranch,
  type TrieNode,
  trieOf,
  unloadedPages,
} from "./leaf-trie.ts";

/** A leaf that differs between two generations: removed, added or replaced. */
interface LeafDifference {
  readonly before?: LeafEntry;
  readonly after?: LeafEntry;
}

/** Reads a page of an index and checks it against its link. */
export type PageReader = (link: PageLink) => Promise<TrieBranch<LeafEntry>>;

/** Pages that the caller may have seen before. */
interface KnownPages {
  /** Returns true when a page, whose turn it is, need not be read. */
  readonly passOver?: (link: PageLink) => boolean;
  /** Returns true when a page will probably be passed over, so that it is not read ahead. */
  readonly isKnown?: (link: PageLink) => boolean;
}

/** Content of one file of an index: the root, or a page. */
export interface IndexPart {
  readonly cube: Box;
  /** Its location; `undefined` for the root. */
  readonly link: PageLink | undefined;
  /** The leaves in this file, in lexicographic order of the cubes. */
  readonly leaves: readonly LeafEntry[];
  /** Why it is unreadable. */
  readonly error: OrthantError | undefined;
}

type Node = TrieNode<LeafEntry>;

/** Pages that are read at once. */
const PAGES_AT_ONCE = 8;

/**
 * The leaves of one generation by position. They never change, but the loaded part does: an index of several
 * files is read in parts, on {@link load}. Generations share their common parts, also in memory. Synchronous
 * methods throw `ORT_NOT_LOADED` if they need a part that is not loaded.
 */
export class LeafIndex {
  /** Totals of all leaves, including those not in memory. */
  readonly totals: IndexTotals;
  readonly #root: Node | undefined;
  readonly #read: PageReader;

  private constructor(root: Node | undefined, totals: IndexTotals, read: PageReader) {
    this.#root = root;
    this.totals = totals;
    this.#read = read;
  }

  /** Creates an index with all leaves in memory. */
  static of(leaves: readonly LeafEntry[]): LeafIndex {
    return new LeafIndex(trieOf(leaves), sumTotals(leaves.map(totalsOfLeaf)), noPages);
  }

  /** Creates an index over a trie and the pages it refers to. */
  static over(root: Node | undefined, totals: IndexTotals, read: PageReader): LeafIndex {
    return new LeafIndex(root, totals, read);
  }

  /**
   * Returns a draft of the next generation. Everything that these cubes intersect stays in memory until the
   * draft is released.
   */
  async draft(cubes: Iterable<Box>): Promise<LeafMap<LeafEntry>> {
    const draft = LeafMap.over(this.#root);
    try {
      for (const cube of cubes) {
        // Loaded pages may be unloaded during the await.
        do await this.load(cube);
        while (!this.isLoaded(cube));
        draft.hold(cube);
      }
      return draft;
    } catch (error) {
      draft.release();
      throw error;
    }
  }

  /** Reads everything that a box of chunks intersects, and keeps it in memory. */
  async load(box: Box): Promise<void> {
    for (const page of [...unloadedPages(this.#root, box)]) await this.#loadWithin(page, box);
  }

  /** Returns whether everything that a box of chunks intersects is in memory. */
  isLoaded(box: Box): boolean {
    return unloadedPages(this.#root, box).next().done === true;
  }

  /** Returns the leaf that contains a chunk. */
  find(position: Position): LeafEntry | undefined {
    return findLeaf(this.#root, position, requireContent);
  }

  /** Returns the leaf with exactly this cube. */
  at(cube: Box): LeafEntry | undefined {
    const leaf = this.find(cube.min);
    return leaf !== undefined && boxEquals(leaf.cube, cube) ? leaf : undefined;
  }

  /**
   * Returns the cube in which a chunk is, or would be, stored: its leaf's cube or else the largest aligned cube
   * around it, up to an edge of 2^16, that touches no leaf. The box of this one chunk must be loaded.
   */
  cubeFor(position: Position): Box {
    return cubeFor(this.#root, position, requireContent);
  }

  /**
   * Returns the leaves that intersect a box of chunks. The cost depends on the result, not on the number of
   * leaves.
   */
  touching(box: Box): Iterable<LeafEntry> {
    return leavesTouching(this.#root, box, requireContent);
  }

  /**
   * Yields every leaf, page by page, each page in lexicographic order of the cubes; a single-file index is
   * entirely in that order. Pages that were not in memory are not kept.
   */
  async *all(): AsyncGenerator<LeafEntry> {
    for await (const { leaves, error } of this.parts()) {
      if (error !== undefined) throw error;
      yield* leaves;
    }
  }

  /**
   * Yields the root and then every page, each with its own leaves, and reads some pages ahead. Reports an unreadable
   * page, but not the pages below it. Pages that were not in memory are not kept.
   */
  async *parts({ passOver, isKnown }: KnownPages = {}): AsyncGenerator<IndexPart> {
    const ahead: IndexPage<LeafEntry>[] = [];
    const reading = new Map<IndexPage<LeafEntry>, ReturnType<typeof attempt<TrieBranch<LeafEntry>>>>();
    const read = (page: IndexPage<LeafEntry>) =>
      getOrAdd(reading, page, () => attempt(() => page.peek(this.#read)));
    const leavesOf = (entries: Iterable<LeafEntry | IndexPage<LeafEntry>>): readonly LeafEntry[] => {
      const sorted = [...entries].sort((a, b) => comparePositions(a.cube.min, b.cube.min));
      pushReversed(ahead, sorted.filter(isPage));
      return sorted.filter((entry): entry is LeafEntry => !isPage(entry));
    };
    const leaves = leavesOf(entriesOf(this.#root));
    yield { cube: WHOLE_LATTICE, link: undefined, leaves, error: undefined };
    for (let page = ahead.pop(); page !== undefined; page = ahead.pop()) {
      const { cube, link } = page;
      if (link !== undefined && passOver?.(link) === true) continue;
      for (const next of ahead.slice(-PAGES_AT_ONCE))
        if (next.link === undefined || isKnown?.(next.link) !== true) read(next);
      const [content, error] = await read(page);
      reading.delete(page);
      const leaves = content === undefined ? [] : leavesOf(entriesOf<LeafEntry>(content));
      yield { cube, link, leaves, error };
    }
  }

  /** Yields the cubes of all leaves in the root, and of the pages it links to. */
  *outline(): Generator<Box> {
    for (const { cube } of entriesOf(this.#root)) yield cube;
  }

  /**
   * Yields the leaves that differ from those of another generation of the same save. Reads only pages that
   * differ.
   */
  async *changesSince(before: LeafIndex): AsyncGenerator<LeafDifference> {
    for await (const difference of this.differencesSince(before)) {
      if (difference.kind === "page") continue;
      const { kind: _, ...leaves } = difference;
      yield leaves;
    }
  }

  /** Like `changesSince`, and also yields the pages that only one of the two has. */
  differencesSince(before: LeafIndex): AsyncGenerator<TrieDifference<LeafEntry>> {
    return compareTries(before.#root, this.#root, {
      peekBefore: (page) => page.peek(before.#read),
      peekAfter: (page) => page.peek(this.#read),
      isSame: isSameLeaf,
    });
  }

  /**
   * Returns the paths of the files with this generation's leaves, besides its root. Reads only pages that
   * link to others.
   */
  async pageFiles(): Promise<readonly string[]> {
    return [...(await this.pageSizes()).keys()];
  }

  /** Does the same, and returns the bytes that each file has unless it is damaged. */
  async pageSizes(): Promise<ReadonlyMap<string, number>> {
    const sizes = new Map<string, number>();
    let level = [...entriesOf(this.#root)].filter(isPage);
    while (level.length > 0) {
      for (const { link } of level) if (link !== undefined) sizes.set(pageFile(link), link.bytes);
      const inner = level.filter(({ link }) => link?.height !== 0);
      level = [];
      for (let start = 0; start < inner.length; start += PAGES_AT_ONCE) {
        const some = inner.slice(start, start + PAGES_AT_ONCE);
        for (const content of await Promise.all(some.map((page) => page.peek(this.#read))))
          level.push(...[...entriesOf<LeafEntry>(content)].filter(isPage));
      }
    }
    return sizes;
  }

  /** Unloads parts whose cubes `keep` rejects. They are read again when needed. */
  unload(keep: (cube: Box) => boolean): void {
    for (const page of loadedPages(this.#root)) if (!keep(page.cube)) page.unload();
  }

  async #loadWithin(page: IndexPage<LeafEntry>, box: Box): Promise<void> {
    const content = await page.load(this.#read);
    for (const below of [...unloadedPages(content, box)]) await this.#loadWithin(below, box);
  }
}

/**
 * Returns every leaf of an index at once. For an index of any size, {@link LeafIndex.all} takes less memory.
 */
export async function allLeaves(index: LeafIndex): Promise<LeafEntry[]> {
  const leaves: LeafEntry[] = [];
  for await (const leaf of index.all()) leaves.push(leaf);
  return leaves;
}

function requireContent(page: IndexPage<LeafEntry>): TrieBranch<LeafEntry> {
  return page.require();
}

async function noPages(): Promise<never> {
  throw new OrthantError("ORT_ARGUMENT", "an index of one file has no pages");
}

/** A difference between two tries: a leaf that is replaced or only in one, or a page that is only in one. */
type TrieDifference<Leaf> =
  | { readonly kind: "leaf"; readonly before?: Leaf; readonly after?: Leaf }
  | { readonly kind: "page"; readonly before?: PageLink; readonly after?: PageLink };

type OptionalNode<Leaf extends HasCube> = TrieNode<Leaf> | undefined;

/** Functions for comparing two tries. */
interface TrieComparison<Leaf extends HasCube> {
  readonly peekBefore: (page: IndexPage<Leaf>) => Promise<TrieBranch<Leaf>>;
  readonly peekAfter: (page: IndexPage<Leaf>) => Promise<TrieBranch<Leaf>>;
  readonly isSame: (before: Leaf, after: Leaf) => boolean;
}

/** Yields all differences between two tries. Skips what they share, in memory or as the same page. */
async function* compareTries<Leaf extends HasCube>(
  before: OptionalNode<Leaf>,
  after: OptionalNode<Leaf>,
  { peekBefore, peekAfter, isSame }: TrieComparison<Leaf>,
): AsyncGenerator<TrieDifference<Leaf>> {
  const ahead: (readonly [OptionalNode<Leaf>, OptionalNode<Leaf>])[] = [[before, after]];
  for (let pair = ahead.pop(); pair !== undefined; pair = ahead.pop()) {
    const [old, now] = pair;
    if (old === now || isSamePage(old, now)) continue;
    // Opens the larger one first, because the other may be an unchanged page inside it.
    if (isPage(old) && !isInside(old, now)) {
      if (old.link !== undefined) yield { kind: "page", before: old.link };
      ahead.push([await peekBefore(old), now]);
    } else if (isPage(now) && !isInside(now, old)) {
      if (now.link !== undefined) yield { kind: "page", after: now.link };
      ahead.push([old, await peekAfter(now)]);
    } else if (isBranch(old) && !isInside(old, now)) {
      pushParts(ahead, old, now, (part, other) => [part, other]);
    } else if (isBranch(now)) {
      pushParts(ahead, now, old, (part, other) => [other, part]);
    } else if (old === undefined || now === undefined || !boxEquals(old.cube, now.cube)) {
      if (old !== undefined) yield { kind: "leaf", before: old as Leaf };
      if (now !== undefined) yield { kind: "leaf", after: now as Leaf };
    } else if (!isSame(old as Leaf, now as Leaf)) {
      yield { kind: "leaf", before: old as Leaf, after: now as Leaf };
    }
  }
}

function isSamePage<Leaf extends HasCube>(a: OptionalNode<Leaf>, b: OptionalNode<Leaf>): boolean {
  if (!isPage(a) || !isPage(b) || a.link === undefined || b.link === undefined) return false;
  return (
    a.link.generation === b.link.generation &&
    a.link.number === b.link.number &&
    a.link.crc32 === b.link.crc32 &&
    a.link.bytes === b.link.bytes
  );
}

/** Returns whether a node lies inside a larger one that has parts. */
function isInside<Leaf extends HasCube>(inner: HasCube, outer: OptionalNode<Leaf>): boolean {
  if (!isBranch(outer) && !isPage(outer)) return false;
  return boxContainsBox(outer.cube, inner.cube) && !boxEquals(outer.cube, inner.cube);
}

/** Pushes the parts of a branch, each paired with its counterpart in the other trie. */
function pushParts<Leaf extends HasCube>(
  ahead: (readonly [OptionalNode<Leaf>, OptionalNode<Leaf>])[],
  branch: TrieBranch<Leaf>,
  other: OptionalNode<Leaf>,
  pair: (
    part: OptionalNode<Leaf>,
    other: OptionalNode<Leaf>,
  ) => readonly [OptionalNode<Leaf>, OptionalNode<Leaf>],
): void {
  const isSameCube = isBranch(other) && boxEquals(branch.cube, other.cube);
  const home =
    other !== undefined && !isSameCube && boxContainsBox(branch.cube, other.cube)
      ? childSlot(branch.cube, other.cube.min)
      : undefined;
  for (let slot = 15; slot >= 0; slot--) {
    const counterpart = isSameCube ? other.child(slot) : slot === home ? other : undefined;
    const part = branch.child(slot);
    if (part !== undefined || counterpart !== undefined) ahead.push(pair(part, counterpart));
  }
  if (other !== undefined && !isSameCube && home === undefined) ahead.push(pair(undefined, other));
}
