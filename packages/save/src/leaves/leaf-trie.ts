import { type Box, OrthantError, type Position } from "@orthant/core";
import { AXES, boxAt, boxContains, boxContainsBox, boxEquals, boxesIntersect } from "@orthant/core/lattice";
import type { TaggedPart } from "../codec/blob-sections.ts";
import { LEAF_LEVEL_MAX } from "../codec/layout.ts";
import {
  alignedCubeAt,
  CHILDREN,
  childSlot,
  cubeAround,
  cubeAroundBoth,
  describeCube,
  requireLevel,
} from "./cube.ts";
import type { IndexTotals } from "./leaf-entry.ts";

/** Anything with a cube: a leaf of the index, or what a program keeps for one. */
export interface HasCube {
  readonly cube: Box;
}

/** A part of a trie: a leaf, a branch with at least two children, or a branch in a separate file. */
export type TrieNode<Leaf extends HasCube> = Leaf | TrieBranch<Leaf> | IndexPage<Leaf>;

/** Returns the content of a page, which must be in memory. */
type PageOpener<Leaf extends HasCube> = (page: IndexPage<Leaf>) => TrieBranch<Leaf>;

/**
 * A branch with two or more children; its cube is the smallest aligned cube around them. A trie never
 * changes: adding or removing a leaf creates new branches on the path to it and shares the rest.
 */
export class TrieBranch<Leaf extends HasCube> {
  readonly kind = "branch";
  readonly cube: Box;
  /** In slot order. */
  readonly children: readonly TrieNode<Leaf>[];
  /** One bit for each slot with a child. */
  readonly #slots: number;

  constructor(cube: Box, children: readonly TrieNode<Leaf>[], slots: number) {
    this.cube = cube;
    this.children = children;
    this.#slots = slots;
  }

  /** Returns the child in a slot. */
  child(slot: number): TrieNode<Leaf> | undefined {
    return (this.#slots >> slot) & 1 ? this.children[this.#rank(slot)] : undefined;
  }

  /**
   * Returns the branch with another child in a slot, or none. If a single child remains, returns that child.
   */
  with(slot: number, child: TrieNode<Leaf> | undefined): TrieNode<Leaf> {
    const rank = this.#rank(slot);
    const isThere = (this.#slots >> slot) & 1;
    const children = [...this.children];
    children.splice(rank, isThere, ...(child === undefined ? [] : [child]));
    const [only] = children;
    if (only !== undefined && children.length === 1) return only;
    const bit = 1 << slot;
    return new TrieBranch(this.cube, children, child === undefined ? this.#slots & ~bit : this.#slots | bit);
  }

  /** Returns the branch with replaced children of the same cubes, or itself if all are the same. */
  withChildren(children: readonly TrieNode<Leaf>[]): TrieBranch<Leaf> {
    const isSame = children.every((child, index) => child === this.children[index]);
    return isSame ? this : new TrieBranch(this.cube, children, this.#slots);
  }

  #rank(slot: number): number {
    let rank = 0;
    for (let below = this.#slots & ((1 << slot) - 1); below !== 0; below &= below - 1) rank++;
    return rank;
  }
}

/** Returns whether a part of a trie is a branch. */
export function isBranch<Leaf extends HasCube>(node: TrieNode<Leaf> | undefined): node is TrieBranch<Leaf> {
  return node instanceof TrieBranch;
}

/** Returns whether a part of a trie is in a separate file. */
export function isPage<Leaf extends HasCube>(node: TrieNode<Leaf> | undefined): node is IndexPage<Leaf> {
  return (node as Partial<IndexPage<Leaf>> | undefined)?.kind === "page";
}

/** Returns the leaf that contains a position. */
export function findLeaf<Leaf extends HasCube>(
  root: TrieNode<Leaf> | undefined,
  position: Position,
  open: PageOpener<Leaf>,
): Leaf | undefined {
  let node = root;
  while (node !== undefined && boxContains(node.cube, position)) {
    if (isPage(node)) node = open(node);
    if (!isBranch(node)) return node;
    node = node.child(childSlot(node.cube, position));
  }
  return undefined;
}

/**
 * Returns the cube in which a chunk is, or would be, stored: its leaf's cube or else the largest aligned cube
 * around it, up to an edge of 2^16, that touches no leaf.
 */
export function cubeFor<Leaf extends HasCube>(
  root: TrieNode<Leaf> | undefined,
  position: Position,
  open: PageOpener<Leaf>,
): Box {
  let node = root;
  let levelMax = LEAF_LEVEL_MAX;
  while (node !== undefined && boxContains(node.cube, position)) {
    if (isPage(node)) node = open(node);
    if (!isBranch(node)) return node.cube;
    levelMax = Math.min(levelMax, requireLevel(node.cube) - 1);
    node = node.child(childSlot(node.cube, position));
  }
  if (node !== undefined)
    levelMax = Math.min(levelMax, requireLevel(cubeAroundBoth(node.cube, boxAt(position))) - 1);
  return alignedCubeAt(position, levelMax);
}

/** Returns the trie with one more leaf. Throws `ORT_ARGUMENT` if its cube overlaps another's. */
export function withLeaf<Leaf extends HasCube>(
  node: TrieNode<Leaf> | undefined,
  leaf: Leaf,
  open: PageOpener<Leaf>,
): TrieNode<Leaf> {
  if (node === undefined) return leaf;
  const { cube } = leaf;
  const isInside = boxContainsBox(node.cube, cube);
  if (boxContainsBox(cube, node.cube) || (isInside && !isBranch(node) && !isPage(node))) {
    throw overlapping(leaf);
  }
  if (!isInside) return join(node, leaf);
  if (isPage(node)) return node.changed(withLeaf<Leaf>(open(node), leaf, open));
  const branch = node as TrieBranch<Leaf>;
  const slot = childSlot(branch.cube, cube.min);
  return branch.with(slot, withLeaf(branch.child(slot), leaf, open));
}

/** Returns the trie without the leaf that has exactly this cube, or the same trie if there is none. */
export function withoutLeaf<Leaf extends HasCube>(
  node: TrieNode<Leaf>,
  cube: Box,
  open: PageOpener<Leaf>,
): TrieNode<Leaf> | undefined {
  if (!boxContainsBox(node.cube, cube)) return node;
  if (isPage(node)) {
    const content = open(node);
    const changed = withoutLeaf<Leaf>(content, cube, open);
    // A branch has two children, so something remains of it.
    return changed === content || changed === undefined ? node : node.changed(changed);
  }
  if (!isBranch(node)) return boxEquals(node.cube, cube) ? undefined : node;
  const slot = childSlot(node.cube, cube.min);
  const child = node.child(slot);
  if (child === undefined) return node;
  const changed = withoutLeaf(child, cube, open);
  return changed === child ? node : node.with(slot, changed);
}

/** Yields the leaves that intersect a box. The cost depends on the result, not on the number of leaves. */
export function* leavesTouching<Leaf extends HasCube>(
  root: TrieNode<Leaf> | undefined,
  box: Box,
  open: PageOpener<Leaf>,
): Generator<Leaf> {
  const ahead: TrieNode<Leaf>[] = root === undefined ? [] : [root];
  for (let node = ahead.pop(); node !== undefined; node = ahead.pop()) {
    if (!boxesIntersect(node.cube, box)) continue;
    if (isPage(node)) node = open(node);
    if (isBranch(node)) pushReversed(ahead, node.children);
    else yield node;
  }
}

/** Yields the leaves and pages of a trie, without the content of the pages. */
export function* entriesOf<Leaf extends HasCube>(
  root: TrieNode<Leaf> | undefined,
): Generator<Leaf | IndexPage<Leaf>> {
  const ahead: TrieNode<Leaf>[] = root === undefined ? [] : [root];
  for (let node = ahead.pop(); node !== undefined; node = ahead.pop()) {
    if (isBranch(node)) pushReversed(ahead, node.children);
    else yield node;
  }
}

/** Yields the unloaded pages that intersect a box, as far as loaded pages lead to them. */
export function* unloadedPages<Leaf extends HasCube>(
  root: TrieNode<Leaf> | undefined,
  box: Box,
): Generator<IndexPage<Leaf>> {
  const ahead: TrieNode<Leaf>[] = root === undefined ? [] : [root];
  for (let node = ahead.pop(); node !== undefined; node = ahead.pop()) {
    if (!boxesIntersect(node.cube, box)) continue;
    if (isPage(node) && node.content === undefined) yield node;
    const part = isPage(node) ? node.content : node;
    if (isBranch(part)) pushReversed(ahead, part.children);
  }
}

/** Yields the loaded pages, each before those below it. */
export function* loadedPages<Leaf extends HasCube>(
  root: TrieNode<Leaf> | undefined,
): Generator<IndexPage<Leaf>> {
  const ahead: TrieNode<Leaf>[] = root === undefined ? [] : [root];
  for (let node = ahead.pop(); node !== undefined; node = ahead.pop()) {
    const part = isPage(node) ? node.content : node;
    if (isPage(node) && part !== undefined) yield node;
    if (isBranch(part)) pushReversed(ahead, part.children);
  }
}

/** Pushes children on a stack so that the first one is popped first. */
export function pushReversed<Item>(stack: Item[], children: readonly Item[]): void {
  for (let index = children.length - 1; index >= 0; index--) stack.push(children[index] as Item);
}

/** Returns the part of a trie inside a cube; `undefined` if there is none. */
export function partInside<Leaf extends HasCube>(
  root: TrieNode<Leaf> | undefined,
  cube: Box,
  open: PageOpener<Leaf>,
): TrieNode<Leaf> | undefined {
  let node = root;
  while (node !== undefined && !boxContainsBox(cube, node.cube)) {
    if (!boxContainsBox(node.cube, cube)) return undefined;
    if (isPage(node)) node = open(node);
    if (!isBranch(node)) return undefined;
    node = node.child(childSlot(node.cube, cube.min));
  }
  return node;
}

/** Returns the error for a leaf that overlaps another. */
export function overlapping({ cube }: HasCube): OrthantError {
  return new OrthantError("ORT_ARGUMENT", `the leaf at ${describeCube(cube)} overlaps another`);
}

function join<Leaf extends HasCube>(node: TrieNode<Leaf>, leaf: Leaf): TrieBranch<Leaf> {
  const cube = cubeAroundBoth(node.cube, leaf.cube);
  const [slot, newSlot] = [childSlot(cube, node.cube.min), childSlot(cube, leaf.cube.min)];
  const children = slot < newSlot ? [node, leaf] : [leaf, node];
  return new TrieBranch(cube, children, (1 << slot) | (1 << newSlot));
}

/** A page's entry for another page. */
export interface PageLink {
  /** Smallest aligned cube around all leaves in the page. */
  readonly cube: Box;
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
  /** What an index of version 4 says about the page besides. Rule S118. */
  readonly parts?: readonly TaggedPart[];
}

/** A branch of the index in a separate file, loaded into memory on demand. */
export class IndexPage<Leaf extends HasCube> {
  readonly kind = "page";
  readonly cube: Box;
  /** Location of the page; `undefined` until it is written. */
  readonly link: PageLink | undefined;
  #content: TrieBranch<Leaf> | undefined;
  #reading: Promise<TrieBranch<Leaf>> | undefined;
  #holders = 0;

  constructor(position: { readonly link: PageLink } | { readonly content: TrieBranch<Leaf> }) {
    this.link = "link" in position ? position.link : undefined;
    this.cube = "link" in position ? position.link.cube : position.content.cube;
    this.#content = "link" in position ? undefined : position.content;
  }

  /** Creates a page that was just written and is in memory. */
  static written<Leaf extends HasCube>(link: PageLink, content: TrieBranch<Leaf>): IndexPage<Leaf> {
    const page = new IndexPage<Leaf>({ link });
    page.#content = content;
    return page;
  }

  /** Its content; `undefined` if it is not in memory. */
  get content(): TrieBranch<Leaf> | undefined {
    return this.#content;
  }

  /** Returns its content. Throws `ORT_NOT_LOADED` if it is not in memory. */
  require(): TrieBranch<Leaf> {
    if (this.#content !== undefined) return this.#content;
    throw new OrthantError(
      "ORT_NOT_LOADED",
      `the leaves at ${describeCube(this.cube)} were not loaded before they were asked for`,
    );
  }

  /** Returns its content and keeps it in memory. Calls `read` unless it is loaded or being read. */
  async load(read: (link: PageLink) => Promise<TrieBranch<Leaf>>): Promise<TrieBranch<Leaf>> {
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
  async peek(read: (link: PageLink) => Promise<TrieBranch<Leaf>>): Promise<TrieBranch<Leaf>> {
    if (this.#content !== undefined || this.link === undefined) return this.require();
    return this.#reading ?? read(this.link);
  }

  /**
   * Returns the page with other content, not written yet, or just the content if it no longer needs a page.
   */
  changed(content: TrieNode<Leaf>): TrieNode<Leaf> {
    return content instanceof TrieBranch ? new IndexPage<Leaf>({ content }) : content;
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

/**
 * Returns the unique trie of leaves and pages, given in any order; `undefined` without any. Throws
 * `ORT_ARGUMENT` if two of them overlap. The cubes must be aligned cubes.
 */
export function trieOf<Leaf extends HasCube>(
  entries: readonly (Leaf | IndexPage<Leaf>)[],
): TrieNode<Leaf> | undefined {
  const [first] = entries;
  if (first === undefined || entries.length === 1) return first;
  const cube = cubeAroundAll(entries);
  const inSlots: (Leaf | IndexPage<Leaf>)[][] = Array.from({ length: CHILDREN }, () => []);
  for (const entry of entries) {
    if (boxEquals(entry.cube, cube)) throw overlapping(entry);
    inSlots[childSlot(cube, entry.cube.min)]?.push(entry);
  }
  const children: TrieNode<Leaf>[] = [];
  let slots = 0;
  for (const [slot, inSlot] of inSlots.entries()) {
    const child = trieOf(inSlot);
    if (child === undefined) continue;
    children.push(child);
    slots |= 1 << slot;
  }
  return new TrieBranch(cube, children, slots);
}

/** Returns the smallest aligned cube around all entries. */
function cubeAroundAll(entries: readonly HasCube[]): Box {
  const first: [number, number, number, number] = [Infinity, Infinity, Infinity, Infinity];
  const last: [number, number, number, number] = [-Infinity, -Infinity, -Infinity, -Infinity];
  for (const { cube } of entries) {
    for (const axis of AXES) {
      first[axis] = Math.min(first[axis], cube.min[axis]);
      last[axis] = Math.max(last[axis], cube.max[axis] - 1);
    }
  }
  return cubeAround(first, last);
}
