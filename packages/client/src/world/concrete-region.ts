import type { ChunkShape, GeneratorRegistry } from "@orthant/core";
import { GeneratorRef } from "@orthant/core/generate";
import type { RegionTree } from "@orthant/core/tree";

/** Returns the tree with generated space replaced by voxels. Throws `ORT_LIMIT` if there is too much. */
export function concreteRegion(
  symbolic: RegionTree,
  generators: GeneratorRegistry,
  shape: ChunkShape,
): RegionTree {
  let tree = symbolic;
  for (const { box, content } of symbolic.pieces()) {
    if (content instanceof GeneratorRef) {
      tree = tree.graft(box, generators.open(content, shape).describe(box));
    }
  }
  return tree;
}
