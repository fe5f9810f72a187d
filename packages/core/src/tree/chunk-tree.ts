import { OrthantError } from "../error/orthant-error.ts";
import { type Box, boxContainsBox, boxVolume, WHOLE_LATTICE } from "../lattice/box.ts";
import { type Place, requireLatticePlace } from "../lattice/place.ts";
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
 * An immutable map from chunk places to content, in boxes: what `OverrideTree` and `RegionTree` have in common.
 * They differ in what it means that a place has nothing. Every edit gives a new tree that shares what did not
 * change, and the very same tree when nothing did. Equal content is equal shape, whatever edits led to it. An edit
 * that would cut the tree into far too many pieces, such as a thin box across a wide one, ends in `ORT_LIMIT`.
 */
export abstract class ChunkTree<Held extends Content> {
  readonly #root: TreeNode | undefined;

  protected constructor(root: TreeNode | undefined) {
    this.#root = root;
  }

  /** What a chunk place holds; `undefined` where nothing does. */
  at(x: number, y: number, z: number, w: number): Held | undefined {
    // The only contents in a tree are those put in through its own methods.
    return contentAt(this.#root, x, y, z, w) as Held | undefined;
  }

  /** With this content at one chunk place. */
  set(place: Place, content: Held): this {
    const [x, y, z, w] = place;
    requireLatticePlace(x, y, z, w);
    return this.withRoot(put(this.#root, x, y, z, w, content));
  }

  /** With this content all over a box. A chunk that is not uniform fills a box of one chunk only. */
  fill(box: Box, content: Held): this {
    requireLatticeBox(box);
    if (boxVolume(box) > 1 && !isSpreadable(content)) {
      throw new OrthantError("ORT_ARGUMENT", "only uniform or generated content fills more than one chunk");
    }
    return this.withRoot(overlay(this.#root, leafOver(box, content)));
  }

  /** With nothing in a box. */
  carve(box: Box): this {
    return this.withRoot(erase(this.#root, box));
  }

  /** With nothing outside of a box. */
  slice(box: Box): this {
    return this.withRoot(clip(this.#root, box));
  }

  /** With what another tree has in a box, its gaps included, instead of what is there now. */
  graft(box: Box, source: this): this {
    return this.withRoot(overlay(erase(this.#root, box), clip(source.#root, box)));
  }

  /** With all that another tree has, over what is there now; the other's gaps change nothing. */
  merge(over: this): this {
    return this.withRoot(overlay(this.#root, over.#root));
  }

  /** The boxes that hold something, disjoint, cut to a box where one is given. In slot order, not sorted. */
  *pieces(box: Box = WHOLE_LATTICE): Generator<Piece<Held>> {
    for (const { box: where, content } of piecesOf(clip(this.#root, box)))
      yield { box: where, content: content as Held };
  }

  /** Where another tree differs from this one, in disjoint boxes. Costs what differs, not what is held. */
  *differences(after: this): Generator<Difference<Held>> {
    for (const difference of differencesBetween(this.#root, after.#root))
      yield difference as Difference<Held>;
  }

  /** Whether both hold the same everywhere. */
  equals(other: this): boolean {
    return nodesEqual(this.#root, other.#root);
  }

  /** The smallest box around all that is held; `undefined` when nothing is. */
  bounds(): Box | undefined {
    return boundsOf(this.#root);
  }

  /** How many boxes are held. */
  get leafCount(): number {
    return countLeaves(this.#root);
  }

  /** A tree of the same kind. */
  protected abstract make(root: TreeNode | undefined): this;

  /** The nodes, for trees of another kind that are made from this one. */
  protected static rootOf(tree: ChunkTree<Content>): TreeNode | undefined {
    return tree.#root;
  }

  /** A tree of the same kind; this very one when the nodes are the same. */
  protected withRoot(root: TreeNode | undefined): this {
    return root === this.#root ? this : this.make(root);
  }
}

function requireLatticeBox(box: Box): void {
  if (boxContainsBox(WHOLE_LATTICE, box)) return;
  throw new OrthantError(
    "ORT_PLACE_RANGE",
    `[${box.min}] to [${box.max}] is not a box of 32-bit chunk places`,
  );
}
