import type { Box, Position } from "@orthant/core";
import { boxEquals } from "@orthant/core/lattice";
import { LEAF_LEVEL_MAX } from "../codec/layout.ts";
import { requireLevel } from "./cube.ts";
import {
  cubeFor,
  findLeaf,
  type HasCube,
  type IndexPage,
  isBranch,
  isPage,
  leavesTouching,
  partInside,
  pushReversed,
  type TrieBranch,
  type TrieNode,
  withLeaf,
  withoutLeaf,
} from "./leaf-trie.ts";

/**
 * A mutable map of leaves by position: finds the leaf that contains a chunk, and the cube for a chunk without
 * one. Over a paged index it is a draft of the next one. Pages it has visited stay in memory until {@link
 * release}.
 */
export class LeafMap<Leaf extends HasCube> {
  #root: TrieNode<Leaf> | undefined;
  readonly #held = new Set<IndexPage<Leaf>>();
  readonly #open = (page: IndexPage<Leaf>): TrieBranch<Leaf> => {
    const content = page.require();
    if (!this.#held.has(page)) page.hold();
    this.#held.add(page);
    return content;
  };

  constructor(leaves: Iterable<Leaf> = []) {
    for (const leaf of leaves) this.add(leaf);
  }

  /** Returns a map of the leaves of a trie. The trie itself never changes. */
  static over<Leaf extends HasCube>(root: TrieNode<Leaf> | undefined): LeafMap<Leaf> {
    const map = new LeafMap<Leaf>();
    map.#root = root;
    return map;
  }

  /** The current trie of all leaves. */
  get root(): TrieNode<Leaf> | undefined {
    return this.#root;
  }

  /** Adds a leaf. Throws `ORT_ARGUMENT` if its cube is not an aligned cube or overlaps another leaf. */
  add(leaf: Leaf): void {
    requireLevel(leaf.cube, LEAF_LEVEL_MAX);
    this.#root = withLeaf(this.#root, leaf, this.#open);
  }

  /** Removes and returns the leaf with exactly this cube; `undefined` if there is none. */
  remove(cube: Box): Leaf | undefined {
    const leaf = this.at(cube);
    if (leaf !== undefined && this.#root !== undefined) {
      this.#root = withoutLeaf(this.#root, cube, this.#open);
    }
    return leaf;
  }

  /** Returns the leaf with exactly this cube. */
  at(cube: Box): Leaf | undefined {
    const leaf = this.find(cube.min);
    return leaf !== undefined && boxEquals(leaf.cube, cube) ? leaf : undefined;
  }

  /** Returns the leaf that contains a chunk. */
  find(position: Position): Leaf | undefined {
    return findLeaf(this.#root, position, this.#open);
  }

  /**
   * Returns the cube in which a chunk is, or would be, stored: its leaf's cube or else the largest aligned cube
   * around it, up to an edge of 2^16, that touches no leaf. So a small world has few leaves.
   */
  cubeFor(position: Position): Box {
    return cubeFor(this.#root, position, this.#open);
  }

  /** Yields the leaves inside an aligned cube, with `undefined` in place of those not in memory. */
  *inside(cube: Box): Generator<Leaf | undefined> {
    const part = partInside(this.#root, cube, this.#open);
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

  /**
   * Yields the leaves that intersect a box of chunks. The cost depends on the result, not on the number of
   * leaves.
   */
  touching(box: Box): Generator<Leaf> {
    return leavesTouching(this.#root, box, this.#open);
  }

  /** Keeps the pages that a box of chunks intersects in memory. */
  hold(box: Box): void {
    for (const _ of this.touching(box));
  }

  /** Releases the visited pages. */
  release(): void {
    for (const page of this.#held) page.release();
    this.#held.clear();
  }
}
