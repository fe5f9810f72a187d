import {
  type Box,
  boxAt,
  boxContains,
  boxContainsBox,
  boxEquals,
  boxesIntersect,
  OrthantError,
  type Place,
} from "@orthant/core";
import { LEAF_LEVEL_MAX } from "../layout.ts";
import { cellAroundBoth, cellAt, childSlot, describeCell, requireLevel } from "./cell.ts";
import type { IndexPage } from "./index-page.ts";

/** What has a cell: a leaf of the index, or what a program keeps for one. */
export interface HasCell {
  readonly cell: Box;
}

/** A part of a trie: a leaf, a branch with at least two children, or a branch that lies in a file of its own. */
export type TrieNode<Leaf extends HasCell> = Leaf | Branch<Leaf> | IndexPage<Leaf>;

/** Gives what a page holds, which has to be in memory. */
export type PageOpener<Leaf extends HasCell> = (page: IndexPage<Leaf>) => Branch<Leaf>;

/**
 * The least aligned cube around its children, of which there are two or more. A trie never changes: to put a leaf in
 * or to take one out makes new branches on the way to it and shares all the rest.
 */
export class Branch<Leaf extends HasCell> {
  readonly kind = "branch";
  readonly cell: Box;
  /** In the order of their slots. */
  readonly children: readonly TrieNode<Leaf>[];
  /** A bit for each slot that has a child. */
  readonly #slots: number;

  constructor(cell: Box, children: readonly TrieNode<Leaf>[], slots: number) {
    this.cell = cell;
    this.children = children;
    this.#slots = slots;
  }

  /** The child in a slot. */
  child(slot: number): TrieNode<Leaf> | undefined {
    return (this.#slots >> slot) & 1 ? this.children[this.#rank(slot)] : undefined;
  }

  /** The branch with another child in a slot, or none; what is left of it when that is one child alone. */
  with(slot: number, child: TrieNode<Leaf> | undefined): TrieNode<Leaf> {
    const rank = this.#rank(slot);
    const isThere = (this.#slots >> slot) & 1;
    const children = [...this.children];
    children.splice(rank, isThere, ...(child === undefined ? [] : [child]));
    const [only] = children;
    if (only !== undefined && children.length === 1) return only;
    const bit = 1 << slot;
    return new Branch(this.cell, children, child === undefined ? this.#slots & ~bit : this.#slots | bit);
  }

  /** The branch with other parts in the places of its children, in their cells; the same when all are the same. */
  withChildren(children: readonly TrieNode<Leaf>[]): Branch<Leaf> {
    const isSame = children.every((child, index) => child === this.children[index]);
    return isSame ? this : new Branch(this.cell, children, this.#slots);
  }

  #rank(slot: number): number {
    let rank = 0;
    for (let below = this.#slots & ((1 << slot) - 1); below !== 0; below &= below - 1) rank++;
    return rank;
  }
}

/** Whether a part of a trie is a branch. */
export function isBranch<Leaf extends HasCell>(node: TrieNode<Leaf> | undefined): node is Branch<Leaf> {
  return node instanceof Branch;
}

/** Whether a part of a trie lies in a file of its own. */
export function isPage<Leaf extends HasCell>(node: TrieNode<Leaf> | undefined): node is IndexPage<Leaf> {
  return (node as Partial<IndexPage<Leaf>> | undefined)?.kind === "page";
}

/** The leaf that holds a place. */
export function findLeaf<Leaf extends HasCell>(
  root: TrieNode<Leaf> | undefined,
  place: Place,
  open: PageOpener<Leaf>,
): Leaf | undefined {
  let node = root;
  while (node !== undefined && boxContains(node.cell, place)) {
    if (isPage(node)) node = open(node);
    if (!isBranch(node)) return node;
    node = node.child(childSlot(node.cell, place));
  }
  return undefined;
}

/**
 * The cell for a place: that of the leaf which holds it or, when none does, the largest aligned cube around it,
 * up to an edge of 2^16, that has no leaf in it.
 */
export function cellFor<Leaf extends HasCell>(
  root: TrieNode<Leaf> | undefined,
  place: Place,
  open: PageOpener<Leaf>,
): Box {
  let node = root;
  let levelMax = LEAF_LEVEL_MAX;
  while (node !== undefined && boxContains(node.cell, place)) {
    if (isPage(node)) node = open(node);
    if (!isBranch(node)) return node.cell;
    levelMax = Math.min(levelMax, requireLevel(node.cell) - 1);
    node = node.child(childSlot(node.cell, place));
  }
  if (node !== undefined)
    levelMax = Math.min(levelMax, requireLevel(cellAroundBoth(node.cell, boxAt(place))) - 1);
  return cellAt(place, levelMax);
}

/** The trie with one more leaf; `ORT_ARGUMENT` when its cell overlaps another's. */
export function withLeaf<Leaf extends HasCell>(
  node: TrieNode<Leaf> | undefined,
  leaf: Leaf,
  open: PageOpener<Leaf>,
): TrieNode<Leaf> {
  if (node === undefined) return leaf;
  const { cell } = leaf;
  const isInside = boxContainsBox(node.cell, cell);
  if (boxContainsBox(cell, node.cell) || (isInside && !isBranch(node) && !isPage(node))) {
    throw overlapping(leaf);
  }
  if (!isInside) return join(node, leaf);
  if (isPage(node)) return node.changed(withLeaf<Leaf>(open(node), leaf, open));
  const branch = node as Branch<Leaf>;
  const slot = childSlot(branch.cell, cell.min);
  return branch.with(slot, withLeaf(branch.child(slot), leaf, open));
}

/** The trie without the leaf that has exactly this cell; the same trie when there is none. */
export function withoutLeaf<Leaf extends HasCell>(
  node: TrieNode<Leaf>,
  cell: Box,
  open: PageOpener<Leaf>,
): TrieNode<Leaf> | undefined {
  if (!boxContainsBox(node.cell, cell)) return node;
  if (isPage(node)) {
    const content = open(node);
    const changed = withoutLeaf<Leaf>(content, cell, open);
    // A branch has two children, so something is left of it.
    return changed === content || changed === undefined ? node : node.changed(changed);
  }
  if (!isBranch(node)) return boxEquals(node.cell, cell) ? undefined : node;
  const slot = childSlot(node.cell, cell.min);
  const child = node.child(slot);
  if (child === undefined) return node;
  const changed = withoutLeaf(child, cell, open);
  return changed === child ? node : node.with(slot, changed);
}

/** The leaves that a box touches. Costs what is touched, not how many leaves there are. */
export function* leavesTouching<Leaf extends HasCell>(
  root: TrieNode<Leaf> | undefined,
  box: Box,
  open: PageOpener<Leaf>,
): Generator<Leaf> {
  const ahead: TrieNode<Leaf>[] = root === undefined ? [] : [root];
  for (let node = ahead.pop(); node !== undefined; node = ahead.pop()) {
    if (!boxesIntersect(node.cell, box)) continue;
    if (isPage(node)) node = open(node);
    if (isBranch(node)) pushReversed(ahead, node.children);
    else yield node;
  }
}

/** The leaves and pages of a trie, without what is in the pages. */
export function* entriesOf<Leaf extends HasCell>(
  root: TrieNode<Leaf> | undefined,
): Generator<Leaf | IndexPage<Leaf>> {
  const ahead: TrieNode<Leaf>[] = root === undefined ? [] : [root];
  for (let node = ahead.pop(); node !== undefined; node = ahead.pop()) {
    if (isBranch(node)) pushReversed(ahead, node.children);
    else yield node;
  }
}

/** The pages that a box touches and that are not in memory, as far as others that are lead to them. */
export function* unloadedPages<Leaf extends HasCell>(
  root: TrieNode<Leaf> | undefined,
  box: Box,
): Generator<IndexPage<Leaf>> {
  const ahead: TrieNode<Leaf>[] = root === undefined ? [] : [root];
  for (let node = ahead.pop(); node !== undefined; node = ahead.pop()) {
    if (!boxesIntersect(node.cell, box)) continue;
    if (isPage(node) && node.content === undefined) yield node;
    const part = isPage(node) ? node.content : node;
    if (isBranch(part)) pushReversed(ahead, part.children);
  }
}

/** The pages that are in memory, each before those below it. */
export function* loadedPages<Leaf extends HasCell>(
  root: TrieNode<Leaf> | undefined,
): Generator<IndexPage<Leaf>> {
  const ahead: TrieNode<Leaf>[] = root === undefined ? [] : [root];
  for (let node = ahead.pop(); node !== undefined; node = ahead.pop()) {
    const part = isPage(node) ? node.content : node;
    if (isPage(node) && part !== undefined) yield node;
    if (isBranch(part)) pushReversed(ahead, part.children);
  }
}

/** Puts children on a stack so that the first one comes off first. */
export function pushReversed<Item>(stack: Item[], children: readonly Item[]): void {
  for (let index = children.length - 1; index >= 0; index--) stack.push(children[index] as Item);
}

/** The part of a trie that lies inside a cube, whole; `undefined` when nothing does. */
export function partInside<Leaf extends HasCell>(
  root: TrieNode<Leaf> | undefined,
  cell: Box,
  open: PageOpener<Leaf>,
): TrieNode<Leaf> | undefined {
  let node = root;
  while (node !== undefined && !boxContainsBox(cell, node.cell)) {
    if (!boxContainsBox(node.cell, cell)) return undefined;
    if (isPage(node)) node = open(node);
    if (!isBranch(node)) return undefined;
    node = node.child(childSlot(node.cell, cell.min));
  }
  return node;
}

/** What is said of a leaf that another one overlaps. */
export function overlapping({ cell }: HasCell): OrthantError {
  return new OrthantError("ORT_ARGUMENT", `the leaf at ${describeCell(cell)} overlaps another`);
}

function join<Leaf extends HasCell>(node: TrieNode<Leaf>, leaf: Leaf): Branch<Leaf> {
  const cell = cellAroundBoth(node.cell, leaf.cell);
  const [slot, newSlot] = [childSlot(cell, node.cell.min), childSlot(cell, leaf.cell.min)];
  const children = slot < newSlot ? [node, leaf] : [leaf, node];
  return new Branch(cell, children, (1 << slot) | (1 << newSlot));
}
