import { type ChunkShape, GeneratorRef, type GeneratorRegistry, type RegionTree } from "@orthant/core";

/** The same tree with voxels where it leaves space to a generator; `ORT_LIMIT` when that is too much at once. */
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
