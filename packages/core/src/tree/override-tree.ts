import type { Chunk } from "../chunk/chunk.ts";
import { ChunkTree } from "./chunk-tree.ts";
import type { TreeNode } from "./tree-node.ts";

/** What people made. A place that has nothing is virgin: the generator decides. An empty chunk is dug-out air. */
export class OverrideTree extends ChunkTree<Chunk> {
  /** A world that nobody has touched. */
  static readonly VIRGIN: OverrideTree = new OverrideTree(undefined);

  /** What a place without content means. It keeps this type and `RegionTree` apart for the compiler. */
  readonly missing = "virgin";

  private constructor(root: TreeNode | undefined) {
    super(root);
  }

  protected override make(root: TreeNode | undefined): this {
    return new OverrideTree(root) as this;
  }
}
