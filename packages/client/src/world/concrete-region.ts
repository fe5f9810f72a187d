import type { ChunkShape, GeneratorRegistry } from "@orthant/core";
import { GeneratorRef, type RegionTree } from "@orthant/core/engine";

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
