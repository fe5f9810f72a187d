import type { ByteReader } from "../bytes/byte-reader.ts";
import { AIR, type Chunk, uniformChunk } from "../chunk/chunk.ts";
import { positionsMinorToMajor } from "../lattice/box-order.ts";
import { RegionTree } from "../tree/region-tree.ts";
import { ChunkArray } from "./chunk-array.ts";
import type { EncodedNode } from "./region-tree-nodes.ts";
import { requireModestTree } from "./tree-budget.ts";

/** Builds a tree from the nodes of an input. Throws if they overlap or would make the tree too large. */
export function treeOfNodes(input: ByteReader, nodes: readonly EncodedNode[], volume: number): RegionTree {
  requireModestTree(nodes.map(({ box }) => box));
  const mark = uniformChunk(volume, AIR + 1);
  let covered = RegionTree.EMPTY;
  let tree = RegionTree.EMPTY;
  for (const { box, content } of nodes) {
    if (covered.pieces(box).next().done !== true) {
      throw input.fail("ORT_TREE_BOUNDS", `[${box.min}] to [${box.max}] overlaps another node`);
    }
    covered = covered.fill(box, mark);
    if (!(content instanceof ChunkArray)) {
      tree = tree.fill(box, content);
      continue;
    }
    // Build it separately first: a small tree is cheaper to assemble than a corner of a large one.
    tree = tree.merge(treeOfArray(content));
  }
  return tree;
}

/** Returns a tree with only the contents of an array. */
export function treeOfArray(array: ChunkArray): RegionTree {
  let tree = RegionTree.EMPTY;
  const chunks = array.chunks();
  let cell = 0;
  for (const position of positionsMinorToMajor(array.bounds)) {
    const chunk = chunks[cell++] as Chunk;
    if (!chunk.isEmpty) tree = tree.set(position, chunk);
  }
  return tree;
}
