import type { Chunk } from "../chunk/chunk.ts";
import { ChunkTree } from "./chunk-tree.ts";
import type { TreeNode } from "./tree-node.ts";

/** The edits of a world: its overridden chunks. */
export class OverrideTree extends ChunkTree<Chunk> {
  /** A world without edits. */
  static readonly UNTOUCHED: OverrideTree = new OverrideTree(undefined);

  /** The meaning of a position without content, which also distinguishes this type from `RegionTree`. */
  readonly missing = "untouched";

  private constructor(root: TreeNode | undefined) {
    super(root);
  }

  protected override make(root: TreeNode | undefined): this {
    return new OverrideTree(root) as this;
  }
}
