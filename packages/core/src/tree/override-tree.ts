import type { Chunk } from "../chunk/chunk.ts";
import { type Position, requireLatticePosition } from "../lattice/position.ts";
import { regionBox } from "../lattice/region.ts";
import { ChunkTree } from "./chunk-tree.ts";
import { nodeIndexOf, nodeOfContents, REGION_CHUNKS } from "./region-node.ts";
import type { TreeNode } from "./tree-node.ts";

/** The edits of a world: its overridden chunks. */
export class OverrideTree extends ChunkTree<Chunk> {
  /** A world without edits. */
  static readonly UNTOUCHED: OverrideTree = new OverrideTree(undefined);

  /** The meaning of a position without content, which also distinguishes this type from `RegionTree`. */
  readonly missing = "untouched";

  /** Returns the edits of one region: a list of its chunks, each at another position. Decodes hardly any of them. */
  static ofRegion(
    region: Position,
    chunks: readonly { readonly position: Position; readonly chunk: Chunk }[],
  ): OverrideTree {
    if (chunks.length === 0) return OverrideTree.UNTOUCHED;
    const [x, y, z, w] = regionBox(region).min;
    const all = new Array<Chunk | undefined>(REGION_CHUNKS).fill(undefined);
    for (const { position, chunk } of chunks) {
      requireLatticePosition(...position);
      all[nodeIndexOf(...position)] = chunk;
    }
    return new OverrideTree(nodeOfContents({ x, y, z, w }, all));
  }

  private constructor(root: TreeNode | undefined) {
    super(root);
  }

  protected override make(root: TreeNode | undefined): this {
    return new OverrideTree(root) as this;
  }
}
