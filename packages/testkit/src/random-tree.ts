import {
  type Box,
  type Chunk,
  type ChunkShape,
  chunkFromVoxels,
  emptyChunk,
  type Position,
  uniformChunk,
} from "@orthant/core";
import { GeneratorRef } from "@orthant/core/generate";
import { boxBetween, positionFrom } from "@orthant/core/lattice";
import { type Content, RegionTree } from "@orthant/core/tree";
import type { Prng } from "./base/prng.ts";

/** Two generators that differ only in their seed. */
export const TREE_GENERATORS: readonly [GeneratorRef, GeneratorRef] = [
  new GeneratorRef("flat", Uint8Array.of(11), 1337n, 0xfeedn),
  new GeneratorRef("flat", Uint8Array.of(11), 1338n, 0xfeedn),
];

/** Returns a chunk of one, a few or many blocks. */
export function randomChunk(prng: Prng, { volume }: ChunkShape): Chunk {
  if (prng.chance(0.3)) return uniformChunk(volume, prng.between(0, 3));
  const voxels = new Uint16Array(volume);
  const blocks = prng.pick([2, 3, 3, 20]);
  const edits = prng.pick([1, 5, volume]);
  for (let edit = 0; edit < edits; edit++)
    voxels[prng.below(volume)] = prng.below(blocks) * prng.pick([1, 300]);
  return chunkFromVoxels(voxels);
}

/** Returns a box with edges of 1 to `edgeMax` whose corner is near the origin, or near another position. */
export function randomBox(prng: Prng, edgeMax: number, near: Position = [0, 0, 0, 0]): Box {
  const min = positionFrom((axis) => near[axis] + prng.between(-6, 5));
  return boxBetween(
    min,
    positionFrom((axis) => min[axis] + prng.between(1, edgeMax)),
  );
}

/** Returns a tree with one more random change. */
export function changeTree(prng: Prng, tree: RegionTree, shape: ChunkShape, near?: Position): RegionTree {
  const position = randomBox(prng, 1, near).min;
  const held = tree.at(...position);
  switch (prng.below(6)) {
    case 0:
      return tree.carve(randomBox(prng, 4, near));
    case 1:
      return tree.fill(randomBox(prng, 5, near), spreadable(prng, shape));
    case 2:
      return tree.fill(randomBox(prng, 9, near), prng.pick(TREE_GENERATORS));
    case 3:
      return tree.set(position, randomChunk(prng, shape));
    default: {
      const chunk = held === undefined || held instanceof GeneratorRef ? emptyChunk(shape.volume) : held;
      return tree.set(position, chunk.set(prng.below(shape.volume), prng.below(5)));
    }
  }
}

/** Returns a tree made by many random changes. */
export function randomTree(prng: Prng, shape: ChunkShape, changes: number, near?: Position): RegionTree {
  let tree = RegionTree.EMPTY;
  for (let change = 0; change < changes; change++) tree = changeTree(prng, tree, shape, near);
  return tree;
}

/** Returns a tree with data on a random voxel, or without what it has. */
export function changeData(prng: Prng, tree: RegionTree, shape: ChunkShape): RegionTree {
  const position = randomBox(prng, 1).min;
  const held = tree.at(...position);
  const chunk = held === undefined || held instanceof GeneratorRef ? emptyChunk(shape.volume) : held;
  const index = prng.chance(0.5) ? prng.below(shape.volume) : ([...chunk.data][0]?.index ?? 0);
  const data = prng.chance(0.3) ? undefined : prng.bytes(prng.pick([0, 3, 2000]));
  return tree.set(position, chunk.editData([{ index, data }]));
}

function spreadable(prng: Prng, { volume }: ChunkShape): Content {
  return uniformChunk(volume, prng.below(4));
}
