import {
  type Box,
  type Chunk,
  chunkFromVoxels,
  emptyChunk,
  type Position,
  uniformChunk,
} from "@orthant/core";
import { lazyChunk } from "@orthant/core/chunk";
import { GeneratorRef } from "@orthant/core/generate";
import type { ChunkTree } from "@orthant/core/internal";
import { boxBetween, boxVolume, WHOLE_LATTICE } from "@orthant/core/lattice";
import { type Content, OverrideTree, RegionTree } from "@orthant/core/tree";
import { codeOf, Prng } from "@orthant/testkit";
import { describe, expect, test, vi } from "vitest";

const VOLUME = 4096;
const AIR = emptyChunk(VOLUME);
const STONE = uniformChunk(VOLUME, 1);
const SOIL = uniformChunk(VOLUME, 2);
const HOUSE = chunkFromVoxels(Uint16Array.from({ length: VOLUME }, (_, index) => index % 3));
const TERRAIN = new GeneratorRef("terrain", Uint8Array.of(1), 7n, 99n);

/** Chunks keep their voxels private, so tests compare their names. */
const NAMES = new Map<Content, string>([
  [AIR, "air"],
  [STONE, "stone"],
  [SOIL, "soil"],
  [HOUSE, "house"],
  [TERRAIN, "terrain"],
]);

/** Returns the contents along the x axis, from `from` up to but excluding `to`. */
function alongX(tree: ChunkTree<Content>, from: number, to: number): string {
  return Array.from({ length: to - from }, (_, index) => nameOf(tree.at(from + index, 0, 0, 0))).join(" ");
}

function nameOf(content: Content | undefined): string {
  return content === undefined ? "-" : (NAMES.get(content) ?? "unknown");
}

const row = (from: number, to: number): Box => boxBetween([from, 0, 0, 0], [to, 1, 1, 1]);

describe("problems of the original", () => {
  test("clearing the middle of a Uniform leaves a hole in it", () => {
    const filled = RegionTree.EMPTY.fill(row(0, 3), STONE);
    const holed = filled.carve(row(1, 2));
    expect(alongX(holed, 0, 3)).toBe("stone - stone");
    const [difference, ...more] = filled.differences(holed);
    expect(more).toEqual([]);
    expect(difference?.box).toEqual(row(1, 2));
    expect([nameOf(difference?.before), nameOf(difference?.after)]).toEqual(["stone", "-"]);
  });

  test("two equal neighbours with a gap between them never merge", () => {
    const apart = RegionTree.EMPTY.fill(row(0, 1), STONE).fill(row(2, 3), STONE);
    expect(apart.at(1, 0, 0, 0)).toBeUndefined();
    expect(apart.leafCount).toBe(2);
    expect(apart.fill(row(1, 2), STONE).leafCount).toBe(1);
  });

  test("a gap in the edits does not erase terrain", () => {
    const overrides = OverrideTree.UNTOUCHED.set([0, 0, 0, 0], HOUSE).set([2, 0, 0, 0], HOUSE);
    const seen = RegionTree.EMPTY.fill(row(-5, 5), TERRAIN).under(overrides);
    expect(alongX(seen, -1, 4)).toBe("terrain house terrain house terrain");
  });

  test("dug-out air hides the terrain, and unedited space shows it", () => {
    const dug = OverrideTree.UNTOUCHED.fill(row(0, 2), AIR);
    const ground = RegionTree.EMPTY.fill(row(0, 4), STONE);
    expect(alongX(ground.under(dug), 0, 4)).toBe("- - stone stone");
    const restored = dug.carve(row(0, 1));
    expect(alongX(ground.under(restored), 0, 3)).toBe("stone - stone");
  });

  test("a merge removes nothing, and a graft includes its gaps", () => {
    const under = OverrideTree.UNTOUCHED.fill(row(0, 4), STONE);
    const over = OverrideTree.UNTOUCHED.set([1, 0, 0, 0], SOIL);
    expect(alongX(under.merge(over), 0, 4)).toBe("stone soil stone stone");
    expect(alongX(under.graft(row(0, 3), over), 0, 4)).toBe("- soil - stone");
  });

  test("an edit reports everything that it changed and nothing else", () => {
    const before = OverrideTree.UNTOUCHED.fill(boxBetween([-9, -9, -9, -9], [9, 9, 9, 9]), STONE).set(
      [0, 0, 0, 0],
      HOUSE,
    );
    const box = boxBetween([-3, -1, 0, 2], [4, 5, 3, 7]);
    const changed = [...before.differences(before.fill(box, SOIL))];
    expect(changed.reduce((sum, difference) => sum + boxVolume(difference.box), 0)).toBe(boxVolume(box));
    expect([...before.differences(before.fill(row(-9, -8), STONE))]).toEqual([]);
  });

  test("a chunk that loses its edits leaves no trace", () => {
    const before = OverrideTree.UNTOUCHED.fill(boxBetween([0, 0, 0, 0], [9, 1, 9, 9]), STONE);
    const edited = before.set([4, 0, 4, 4], HOUSE).set([4, 0, 4, 4], STONE);
    expect(edited.equals(before)).toBe(true);
    expect(edited.leafCount).toBe(1);
    const touched = OverrideTree.UNTOUCHED.set([5, 5, 5, 5], HOUSE).carve(
      boxBetween([5, 5, 5, 5], [6, 6, 6, 6]),
    );
    expect(touched.equals(OverrideTree.UNTOUCHED)).toBe(true);
    expect(touched.bounds()).toBeUndefined();
  });
});

describe("a tree of chunks", () => {
  test("is the same tree when an edit changes nothing", () => {
    const tree = OverrideTree.UNTOUCHED.fill(boxBetween([0, 0, 0, 0], [5, 5, 5, 5]), STONE).set(
      [9, 9, 9, 9],
      HOUSE,
    );
    expect(tree.set([2, 2, 2, 2], STONE)).toBe(tree);
    expect(tree.set([9, 9, 9, 9], HOUSE)).toBe(tree);
    expect(tree.fill(boxBetween([1, 1, 1, 1], [3, 3, 3, 3]), STONE)).toBe(tree);
    expect(tree.carve(row(20, 30))).toBe(tree);
    expect(tree.slice(WHOLE_LATTICE)).toBe(tree);
    expect(tree.merge(OverrideTree.UNTOUCHED)).toBe(tree);
  });

  test("has one shape for one content, whatever the order of the edits", () => {
    const prng = new Prng(3);
    const positions = Array.from(
      { length: 300 },
      (): Position => [prng.below(9), prng.below(9), prng.below(9), prng.below(9)],
    );
    const contents = new Map(
      positions.map((position) => [position.join(), prng.pick([STONE, SOIL, HOUSE, AIR])]),
    );
    const build = (order: readonly Position[]): OverrideTree =>
      order.reduce(
        (tree, position) => tree.set(position, contents.get(position.join()) as Chunk),
        OverrideTree.UNTOUCHED,
      );
    const first = build(positions);
    expect(build([...positions].reverse()).equals(first)).toBe(true);
    expect(first.equals(first.set([0, 0, 0, 0], uniformChunk(VOLUME, 9)))).toBe(false);
  });

  test("extends to the ends of the lattice", () => {
    const low = -(2 ** 31);
    const high = 2 ** 31 - 1;
    const all = OverrideTree.UNTOUCHED.fill(WHOLE_LATTICE, STONE);
    expect(all.leafCount).toBe(1);
    const cornered = all.set([low, high, low, high], HOUSE).set([0, 0, 0, 0], SOIL);
    expect(cornered.at(low, high, low, high)).toBe(HOUSE);
    expect(cornered.at(low, high, low, high - 1)).toBe(STONE);
    expect(cornered.at(0, 0, 0, 0)).toBe(SOIL);
    expect(cornered.at(-1, 0, 0, 0)).toBe(STONE);
    expect(cornered.set([low, high, low, high], STONE).set([0, 0, 0, 0], STONE).equals(all)).toBe(true);
    expect(codeOf(() => all.set([high + 1, 0, 0, 0], SOIL))).toBe("ORT_POSITION_RANGE");
    expect(codeOf(() => all.set([0.5, 0, 0, 0], SOIL))).toBe("ORT_POSITION_RANGE");
    expect(codeOf(() => all.fill(boxBetween([0, 0, 0, 0], [high + 2, 1, 1, 1]), SOIL))).toBe(
      "ORT_POSITION_RANGE",
    );
  });

  test("stores a huge box with one hole in a few boxes", () => {
    const huge = boxBetween([-1000, -10, -1000, -1000], [1000, 10, 1000, 1000]);
    const holed = OverrideTree.UNTOUCHED.fill(huge, STONE).carve(boxBetween([7, 7, 7, 7], [8, 8, 8, 8]));
    expect(holed.leafCount).toBeLessThan(600);
    expect(holed.at(7, 7, 7, 7)).toBeUndefined();
    expect(holed.at(7, 7, 7, 8)).toBe(STONE);
    expect(holed.fill(boxBetween([7, 7, 7, 7], [8, 8, 8, 8]), STONE).leafCount).toBe(1);
  });

  test("refuses an edit that would cut it into far too many pieces, and stays unchanged", () => {
    const slab = (y: number): Box => boxBetween([-300, y, -300, -300], [300, y + 1, 300, 300]);
    const one = OverrideTree.UNTOUCHED.fill(slab(1), STONE);
    expect(codeOf(() => one.fill(slab(2), SOIL))).toBe("ORT_LIMIT");
    expect(one.leafCount).toBe(1);
  });

  test("fills more than one chunk only with spreadable content", () => {
    expect(codeOf(() => OverrideTree.UNTOUCHED.fill(row(0, 2), HOUSE))).toBe("ORT_ARGUMENT");
    expect(OverrideTree.UNTOUCHED.fill(row(0, 1), HOUSE).at(0, 0, 0, 0)).toBe(HOUSE);
  });

  test("returns its pieces inside a box, disjoint and complete", () => {
    const tree = OverrideTree.UNTOUCHED.fill(boxBetween([0, 0, 0, 0], [9, 9, 9, 9]), STONE).set(
      [4, 4, 4, 4],
      HOUSE,
    );
    const pieces = [...tree.pieces(boxBetween([3, 3, 3, 3], [6, 6, 6, 6]))];
    expect(pieces.reduce((sum, { box }) => sum + boxVolume(box), 0)).toBe(81);
    expect(pieces.filter(({ content }) => content === HOUSE)).toEqual([
      { box: boxBetween([4, 4, 4, 4], [5, 5, 5, 5]), content: HOUSE },
    ]);
    expect(tree.bounds()).toEqual(boxBetween([0, 0, 0, 0], [9, 9, 9, 9]));
  });

  test("finds differences by what is not shared, without examining everything", () => {
    let tree = OverrideTree.UNTOUCHED;
    for (let x = 0; x < 64; x++)
      for (let z = 0; z < 64; z++) tree = tree.set([x, 0, z, 0], x % 2 ? HOUSE : STONE);
    const edited = tree.set([40, 0, 40, 0], SOIL);
    const equals = vi.spyOn(Object.getPrototypeOf(STONE) as typeof STONE, "equals");
    expect([...tree.differences(edited)]).toHaveLength(1);
    expect(equals.mock.calls.length).toBeLessThan(20);
    equals.mockRestore();
  });

  test("air in a RegionTree is the same as nothing", () => {
    const tree = RegionTree.EMPTY.fill(row(0, 4), STONE).fill(row(1, 2), AIR).set([2, 0, 0, 0], AIR);
    expect(alongX(tree, 0, 4)).toBe("stone - - stone");
    expect(RegionTree.EMPTY.set([0, 0, 0, 0], AIR)).toBe(RegionTree.EMPTY);
  });

  test("generator references merge into one box when they are equal, and not when they differ", () => {
    const same = new GeneratorRef("terrain", Uint8Array.of(1), 7n, 99n);
    const other = new GeneratorRef("terrain", Uint8Array.of(2), 7n, 99n);
    expect(RegionTree.EMPTY.fill(row(0, 2), TERRAIN).fill(row(2, 4), same).leafCount).toBe(1);
    expect(RegionTree.EMPTY.fill(row(0, 8), TERRAIN).fill(row(8, 16), other).leafCount).toBe(2);
  });

  test("the two kinds of tree cannot be mixed up", () => {
    const overrides: OverrideTree = OverrideTree.UNTOUCHED;
    // @ts-expect-error missing is untouched in one and empty in the other
    const region: RegionTree = overrides;
    expect(region.missing).toBe("untouched");
  });
});

describe("the edits of one region", () => {
  test("are the same tree as when set one by one, whatever they are", () => {
    const prng = new Prng(3);
    for (let round = 0; round < 60; round++) {
      const count = prng.pick([0, 1, 16, 256]);
      const choices = prng.pick([[STONE], [HOUSE], [AIR, STONE, HOUSE]]);
      const chunks = Array.from({ length: count }, (_, cell) => ({
        position: [(cell & 3) - 4, ((cell >> 2) & 3) + 8, (cell >> 4) & 3, cell >> 6] as Position,
        chunk: prng.pick(choices),
      }));
      let one = OverrideTree.UNTOUCHED;
      for (const { position, chunk } of chunks) one = one.set(position, chunk);
      const tree = OverrideTree.ofRegion([-1, 2, 0, 0], chunks);
      expect(tree.equals(one)).toBe(true);
      expect(tree.leafCount).toBe(one.leafCount);
    }
  });

  test("are not decoded for it", () => {
    const realize = vi.fn(() => HOUSE);
    const chunks = Array.from({ length: 4 }, (_, x) => ({
      position: [x, 0, 0, 0] as Position,
      chunk: lazyChunk({ volume: VOLUME, isMixed: true, memoryBytes: 0, realize }),
    }));
    const tree = OverrideTree.ofRegion([0, 0, 0, 0], chunks).merge(
      OverrideTree.UNTOUCHED.set([9, 9, 9, 9], STONE),
    );
    expect(realize).not.toHaveBeenCalled();
    expect(tree.at(2, 0, 0, 0)?.get(2)).toBe(2);
    expect(realize).toHaveBeenCalledTimes(1);
  });
});
