import { type Box, chunkFromVoxels, TILE_CHUNKS, uniformChunk } from "@orthant/core";
import { type ChunkArray, canonicalNodes } from "@orthant/core/internal";
import {
  boxAt,
  boxBetween,
  cubeAt,
  positionFrom,
  positionsLexicographic,
  WHOLE_LATTICE,
} from "@orthant/core/lattice";
import { RegionTree } from "@orthant/core/tree";
import { Prng, randomBox, randomTree, TREE_GENERATORS } from "@orthant/testkit";
import { describe, expect, test } from "vitest";

const VOLUME = 2;
const stone = uniformChunk(VOLUME, 7);
const half = chunkFromVoxels(Uint16Array.of(0, 5));
const other = chunkFromVoxels(Uint16Array.of(5, 0));
const [flat] = TREE_GENERATORS;
const empty = RegionTree.EMPTY;

/** Returns the lowest and highest position of each node of a tree. */
function boxesOf(tree: RegionTree, bounds: Box): readonly string[] {
  return canonicalNodes(tree, bounds).map(
    ({ box }) => `${box.min} ${positionFrom((axis) => box.max[axis] - 1)}`,
  );
}

describe("the canonical nodes of a tree", () => {
  test("[T16] are large boxes as in the tree of orthants", () => {
    const tree = empty.fill(boxBetween([-5, 0, 0, 0], [7, 8, 8, 8]), flat);
    expect(boxesOf(tree, WHOLE_LATTICE)).toEqual(["-5,0,0,0 6,7,7,7"]);
    // A second box in the same cube makes the first one be cut along the planes of the cubes.
    expect(boxesOf(tree.set([100, 0, 0, 0], stone), WHOLE_LATTICE)).toEqual([
      "-5,0,0,0 -1,7,7,7",
      "0,0,0,0 6,7,7,7",
      "100,0,0,0 100,0,0,0",
    ]);
  });

  test("[T17] combine the non-uniform chunks of a region in one array", () => {
    const tree = empty
      .set([0, 0, 0, 0], half)
      .set([2, 1, 0, 0], other)
      .set([1, 0, 0, 0], stone)
      .set([3, 3, 3, 3], stone);
    const nodes = canonicalNodes(tree, WHOLE_LATTICE);
    expect(boxesOf(tree, WHOLE_LATTICE)).toEqual(["0,0,0,0 2,1,0,0", "3,3,3,3 3,3,3,3"]);
    const array = nodes[0]?.content as ChunkArray;
    expect(array.palette.map((chunk) => [...chunk.voxels()])).toEqual([
      [0, 5],
      [7, 7],
      [0, 0],
      [5, 0],
    ]);
  });

  test("[T17] arrange them in rows if there is a generator between them", () => {
    const region = empty.fill(cubeAt([0, 0, 0, 0], 4), flat);
    const tree = region
      .set([0, 0, 0, 0], half)
      .set([1, 0, 0, 0], other)
      .set([3, 0, 0, 0], half)
      .set([3, 1, 0, 0], half);
    const arrays = canonicalNodes(tree, WHOLE_LATTICE).filter(({ content }) => "palette" in content);
    expect(arrays.map(({ box }) => box)).toEqual([
      boxBetween([0, 0, 0, 0], [2, 1, 1, 1]),
      boxAt([3, 0, 0, 0]),
      boxAt([3, 1, 0, 0]),
    ]);
  });

  test("[T18] cover the rest of a region from the first chunk on, along w, z, y and x", () => {
    const tree = empty.fill(cubeAt([0, 0, 0, 0], 4), stone).carve(boxAt([1, 2, 0, 0]));
    expect(boxesOf(tree, WHOLE_LATTICE)).toEqual([
      "0,0,0,0 0,3,3,3",
      "1,0,0,0 3,1,3,3",
      "1,2,0,1 3,3,3,3",
      "1,2,1,0 3,3,3,0",
      "1,3,0,0 3,3,0,0",
      "2,2,0,0 3,2,0,0",
    ]);
  });

  test("[T18] cover each chunk once, with the tree's content", () => {
    for (let seed = 0; seed < 40; seed++) {
      const prng = new Prng(seed);
      const tree = randomTree(prng, TILE_CHUNKS, 20);
      const bounds = randomBox(prng, 12);
      const counts = new Map<string, number>();
      for (const { box } of canonicalNodes(tree, bounds)) {
        for (const position of positionsLexicographic(box))
          counts.set(`${position}`, (counts.get(`${position}`) ?? 0) + 1);
      }
      for (const position of positionsLexicographic(bounds)) {
        const isHeld = tree.at(...position) !== undefined;
        expect(isHeld ? counts.get(`${position}`) : 1, `seed ${seed} [${position}]`).toBe(1);
      }
      expect(Math.max(0, ...counts.values())).toBeLessThan(2);
    }
  });
});
