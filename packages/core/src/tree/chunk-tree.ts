import { OrthantError } from "../error/orthant-error.ts";
import { type Box, boxContainsBox, boxVolume, WHOLE_LATTICE } from "../lattice/box.ts";
import { type Position, requireLatticePosition } from "../lattice/position.ts";
import { type Content, isSpreadable } from "./content.ts";
import { clip, erase, leafOver, overlay, put } from "./tree-edit.ts";
import { nodesEqual, type TreeNode } from "./tree-node.ts";
import {
  boundsOf,
  contentAt,
  countLeaves,
  type Difference,
  differencesBetween,
  type Piece,
  piecesOf,
} from "./tree-walk.ts";

/**
 * An immutable map from chunk positions to content; equal neighbours share a box. Its two kinds differ in
 * what a missing position means:
 *
 *                    a position without content     an empty chunk
 *   `OverrideTree`   untouched: as generated        dug-out air
 *   `RegionTree`     air                            does not occur
 *
 * Every edit returns a new tree that shares what did not change, and the same tree when nothing changed. Equal
 * content has equal shape, regardless of the edits that led to it. An edit that would cut the tree into far
 * too many pieces, such as a thin box across a wide one, throws `ORT_LIMIT`.
 */
export abstract class ChunkTree<Held extends Content> {
  readonly #root: TreeNode | undefined;

  protected constructor(root: TreeNode | undefined) {
    this.#root = root;
  }

  /** Returns the content of a chunk position, or `undefined`. */
  at(x: number, y: number, z: number, w: number): Held | undefined {
    // The tree only contains what its own methods put in.
    return contentAt(this.#root, x, y, z, w) as Held | undefined;
  }

  /** Returns the tree with this content at one chunk position. */
  set(position: Position, content: Held): this {
    const [x, y, z, w] = position;
    requireLatticePosition(x, y, z, w);
    return this.withRoot(put(this.#root, x, y, z, w, content));
  }

  /**
   * Returns the tree with this content all over a box. A non-uniform chunk can only fill a box of one chunk.
   */
  fill(box: Box, content: Held): this {
    requireLatticeBox(box);
    if (boxVolume(box) > 1 && !isSpreadable(content)) {
      throw new OrthantError("ORT_ARGUMENT", "only uniform or generated content fills more than one chunk");
    }
    return this.withRoot(overlay(this.#root, leafOver(box, content)));
  }

  /** Returns the tree with nothing inside a box. */
  carve(box: Box): this {
    return this.withRoot(erase(this.#root, box));
  }

  /** Returns the tree with nothing outside a box. */
  slice(box: Box): this {
    return this.withRoot(clip(this.#root, box));
  }

  /** Returns the tree with the contents of another tree in a box, including its gaps. */
  graft(box: Box, source: this): this {
    return this.withRoot(overlay(erase(this.#root, box), clip(source.#root, box)));
  }

  /** Returns the tree with all contents of another tree on top; the other's gaps change nothing. */
  merge(over: this): this {
    return this.withRoot(overlay(this.#root, over.#root));
  }

  /** Yields the boxes with content, disjoint and clipped to `box`. In slot order, not sorted. */
  *pieces(box: Box = WHOLE_LATTICE): Generator<Piece<Held>> {
    for (const { box: where, content } of piecesOf(clip(this.#root, box)))
      yield { box: where, content: content as Held };
  }

  /** Yields the differences from another tree in disjoint boxes, at a cost that depends on them alone. */
  *differences(after: this): Generator<Difference<Held>> {
    for (const difference of differencesBetween(this.#root, after.#root))
      yield difference as Difference<Held>;
  }

  /** Whether both trees have the same contents. */
  equals(other: this): boolean {
    return nodesEqual(this.#root, other.#root);
  }

  /** Returns the smallest box around all contents; `undefined` when the tree is empty. */
  bounds(): Box | undefined {
    return boundsOf(this.#root);
  }

  /** Number of boxes with content. */
  get leafCount(): number {
    return countLeaves(this.#root);
  }

  /** Creates a tree of the same kind. */
  protected abstract make(root: TreeNode | undefined): this;

  /** Returns the nodes, for trees of another kind made from this one. */
  protected static rootOf(tree: ChunkTree<Content>): TreeNode | undefined {
    return tree.#root;
  }

  /** Returns a tree of the same kind; this one when the nodes are the same. */
  protected withRoot(root: TreeNode | undefined): this {
    return root === this.#root ? this : this.make(root);
  }
}

function requireLatticeBox(box: Box): void {
  if (boxContainsBox(WHOLE_LATTICE, box)) return;
  throw new OrthantError(
    "ORT_POSITION_RANGE",
    `[${box.min}] to [${box.max}] is not a box of 32-bit chunk positions`,
  );
}
