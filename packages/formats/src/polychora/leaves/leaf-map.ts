import { type Box, boxEquals, type Place } from "@orthant/core";
import { LEAF_LEVEL_MAX } from "../layout.ts";
import { requireLevel } from "../tree-index/cell.ts";
import type { IndexPage } from "../tree-index/index-page.ts";
import {
  type Branch,
  cellFor,
  findLeaf,
  type HasCell,
  isBranch,
  isPage,
  leavesTouching,
  partInside,
  pushReversed,
  type TrieNode,
  withLeaf,
  withoutLeaf,
} from "../tree-index/leaf-trie.ts";

/**
 * Leaves by place, which may change: which one holds a chunk, and which cell a chunk without one should get. Over an
 * index of pages it is a draft of the next one. A page that was looked into stays in memory until {@link release}.
 */
export class LeafMap<Leaf extends HasCell> {
  #root: TrieNode<Leaf> | undefined;
  readonly #held = new Set<IndexPage<Leaf>>();
  readonly #open = (page: IndexPage<Leaf>): Branch<Leaf> => {
    const content = page.require();
    if (!this.#held.has(page)) page.hold();
    this.#held.add(page);
    return content;
  };

  constructor(leaves: Iterable<Leaf> = []) {
    for (const leaf of leaves) this.add(leaf);
  }

  /** A map with the leaves of a trie, which itself never changes. */
  static over<Leaf extends HasCell>(root: TrieNode<Leaf> | undefined): LeafMap<Leaf> {
    const map = new LeafMap<Leaf>();
    map.#root = root;
    return map;
  }

  /** The trie of all leaves, as they are now. */
  get root(): TrieNode<Leaf> | undefined {
    return this.#root;
  }

  /** Adds a leaf; `ORT_ARGUMENT` when its cell is no aligned cube or overlaps another leaf. */
  add(leaf: Leaf): void {
    requireLevel(leaf.cell, LEAF_LEVEL_MAX);
    this.#root = withLeaf(this.#root, leaf, this.#open);
  }

  /** Removes the leaf that has exactly this cell, and gives it; `undefined` when there is none. */
  remove(cell: Box): Leaf | undefined {
    const leaf = this.at(cell);
    if (leaf !== undefined && this.#root !== undefined) {
      this.#root = withoutLeaf(this.#root, cell, this.#open);
    }
    return leaf;
  }

  /** The leaf that has exactly this cell. */
  at(cell: Box): Leaf | undefined {
    const leaf = this.find(cell.min);
    return leaf !== undefined && boxEquals(leaf.cell, cell) ? leaf : undefined;
  }

  /** The leaf that holds a chunk. */
  find(place: Place): Leaf | undefined {
    return findLeaf(this.#root, place, this.#open);
  }

  /**
   * The cell for a place: that of the leaf which holds it or, when none does, the largest aligned cube around it,
   * up to an edge of 2^16, that has no leaf in it. So a small world has few leaves.
   */
  cellFor(place: Place): Box {
    return cellFor(this.#root, place, this.#open);
  }

  /** The leaves inside an aligned cube; `undefined` in the place of those that are not in memory. */
  *inside(cell: Box): Generator<Leaf | undefined> {
    const part = partInside(this.#root, cell, this.#open);
    const ahead: TrieNode<Leaf>[] = part === undefined ? [] : [part];
    for (let node = ahead.pop(); node !== undefined; node = ahead.pop()) {
      if (isPage(node)) {
        if (node.content === undefined) {
          yield undefined;
          continue;
        }
        node = this.#open(node);
      }
      if (isBranch(node)) pushReversed(ahead, node.children);
      else yield node;
    }
  }

  /** The leaves that a box of chunks touches. Costs what is touched, not how many leaves there are. */
  touching(box: Box): Generator<Leaf> {
    return leavesTouching(this.#root, box, this.#open);
  }

  /** Keeps what a box of chunks touches in memory, where it is. */
  hold(box: Box): void {
    for (const _ of this.touching(box));
  }

  /** Lets go of the pages that were looked into. */
  release(): void {
    for (const page of this.#held) page.release();
    this.#held.clear();
  }
}
