import { Chunk } from "../chunk/chunk.ts";
import { type Box, boxAt } from "../lattice/box.ts";
import type { Position } from "../lattice/position.ts";
import { ChunkTree } from "./chunk-tree.ts";
import type { Content } from "./content.ts";
import { Leaf } from "./leaf.ts";
import type { OverrideTree } from "./override-tree.ts";
import { nodeOfContents, RegionNode } from "./region-node.ts";

import { overlay } from "./tree-edit.ts";
import { childAt, combine, SLOTS, type TreeNode } from "./tree-node.ts";

/** The content of some chunks, as queries return it. A position without content is air; no generator is asked. */
export class RegionTree extends ChunkTree<Content> {
  /** Nothing but air. */
  static readonly EMPTY: RegionTree = new RegionTree(undefined);

  /** The meaning of a position without content, which also distinguishes this type from `OverrideTree`. */
  readonly missing = "empty";

  private constructor(root: TreeNode | undefined) {
    super(root);
  }

  /** Returns the tree with this content at one chunk position; air is the same as nothing. */
  override set(position: Position, content: Content): this {
    return isAir(content) ? this.carve(boxAt(position)) : super.set(position, content);
  }

  /** Returns the tree with this content in every chunk of a box; air is the same as nothing. */
  override fill(box: Box, content: Content): this {
    return isAir(content) ? this.carve(box) : super.fill(box, content);
  }

  /** Returns this tree covered by `overrides`. An empty override hides what is below. */
  under(overrides: OverrideTree): RegionTree {
    const root = withoutAir(overlay(ChunkTree.rootOf(this), ChunkTree.rootOf(overrides)));
    return new RegionTree(root);
  }

  protected override make(root: TreeNode | undefined): this {
    return new RegionTree(root) as this;
  }
}

function isAir(content: Content): boolean {
  return content instanceof Chunk && content.isEmpty;
}

function withoutAir(node: TreeNode | undefined): TreeNode | undefined {
  if (node === undefined) return undefined;
  if (node instanceof Leaf) return isAir(node.content) ? undefined : node;
  if (node instanceof RegionNode) {
    if (!node.contents.some(isAir)) return node;
    return nodeOfContents(
      node,
      node.all().map((content) => (content && isAir(content) ? undefined : content)),
    );
  }
  const slots: (TreeNode | undefined)[] = [];
  let changed = false;
  for (let slot = 0; slot < SLOTS; slot++) {
    const child = childAt(node, slot);
    const kept = withoutAir(child);
    changed ||= kept !== child;
    slots.push(kept);
  }
  return changed ? combine(node, slots) : node;
}
