import { readFileSync } from "node:fs";
import {
  type Box,
  CUBE_CHUNKS,
  chunkFromVoxels,
  type ErrorCode,
  HYPERCUBE_CHUNKS,
  type Position,
  TILE_CHUNKS,
  uniformChunk,
} from "@orthant/core";
import { decode, decodeForeign, encode } from "@orthant/core/bytes";
import { TREE_NODES_MAX } from "@orthant/core/internal";
import {
  boxAt,
  boxBetween,
  boxCodec,
  cubeAt,
  positionsLexicographic,
  WHOLE_LATTICE,
} from "@orthant/core/lattice";
import { RegionTree } from "@orthant/core/tree";
import {
  changeTree,
  codeOf,
  fromHex,
  Prng,
  randomBox,
  randomTree,
  TREE_GENERATORS,
  toHex,
} from "@orthant/testkit";
import { describe, expect, test } from "vitest";
import { foreignRegionTreeCodec } from "./foreign-region-tree-codec.ts";
import { regionTreeCodec } from "./region-tree-codec.ts";

const VOLUME = 2;
const codec = regionTreeCodec(VOLUME);
const foreign = foreignRegionTreeCodec(VOLUME);
const stone = uniformChunk(VOLUME, 7);
const sand = uniformChunk(VOLUME, 300);
const half = chunkFromVoxels(Uint16Array.of(0, 5));
const [flat] = TREE_GENERATORS;
const FLAT_HEX = "04666c6174 01 0b b90a edfd03";

const PAIR: Box = boxBetween([0, 0, 0, 0], [2, 1, 1, 1]);
const PAIR_HEX = "00000000 02000000";
const ONE_HEX = "00000000 00000000";
const NEXT_HEX = "02000000 02000000";
const SINGLE_INDEX_HEX = "01 18 0104 0000 01000000 01000000 01000000 01000000 00000000 01 00";
const HALF_HEX = "03 02 00 05";

const empty = RegionTree.EMPTY;
const decodeHex = (hex: string): unknown => decode(codec, fromHex(hex.replaceAll(" ", "")));

describe("a region tree in bytes", () => {
  test.each<[rule: string, name: string, bounds: Box, tree: RegionTree, hex: string]>([
    ["T1", "is bounds, kind and version hash", PAIR, empty.fill(PAIR, stone), `${PAIR_HEX} 01 07 00`],
    ["T3", "is Empty where there is nothing", PAIR, empty, `${PAIR_HEX} 00 00`],
    ["T3", "is Uniform where all is one block", PAIR, empty.fill(PAIR, sand), `${PAIR_HEX} 01 ac02 00`],
    ["T4", "has the hash of its generator", PAIR, empty.fill(PAIR, flat), `${PAIR_HEX} 02 ${FLAT_HEX}`],
    [
      "T3",
      "is a ChunkArray where chunks are not uniform",
      boxAt([0, 0, 0, 0]),
      empty.set([0, 0, 0, 0], half),
      `${ONE_HEX} 03 ${ONE_HEX} 01 ${HALF_HEX} ${SINGLE_INDEX_HEX} 00`,
    ],
    [
      "T19",
      "is a Branch of one where that is not all of the bounds",
      PAIR,
      empty.set([0, 0, 0, 0], stone),
      `${PAIR_HEX} 04 01 ${ONE_HEX} 01 07 00 00`,
    ],
    [
      "T19",
      "is a Branch of several in the order of their lowest positions",
      PAIR,
      empty.set([1, 0, 0, 0], stone).set([0, 0, 0, 0], sand),
      `${PAIR_HEX} 04 02 ${ONE_HEX} 01 ac02 00 ${NEXT_HEX} 01 07 00 00`,
    ],
    [
      "T2",
      "includes the highest position of its bounds",
      WHOLE_LATTICE,
      empty.fill(WHOLE_LATTICE, stone),
      `${"ffffffff0f".repeat(4)} ${"feffffff0f".repeat(4)} 01 07 00`,
    ],
  ])("[%s] a tree in bytes %s", (_rule, _name, bounds, tree, hex) => {
    expect(toHex(encode(codec, { bounds, tree }))).toBe(hex.replaceAll(" ", ""));
    const found = decode(codec, fromHex(hex));
    expect(found.bounds).toEqual(bounds);
    expect(found.tree.equals(tree)).toBe(true);
  });

  test("[T20] excludes what lies outside the bounds", () => {
    const tree = empty.fill(boxBetween([-9, 0, 0, 0], [9, 3, 3, 3]), stone);
    expect(toHex(encode(codec, { bounds: PAIR, tree }))).toBe(`${PAIR_HEX}010700`.replaceAll(" ", ""));
  });

  test.each<[rule: string, name: string, hex: string, code: ErrorCode]>([
    ["T3", "an unknown kind", `${PAIR_HEX} 05 00`, "ORT_TAG"],
    ["T2", "a box that ends before it begins", "02000000 00000000 01 07 00", "ORT_BOX"],
    ["T4", "a version hash on Empty", `${PAIR_HEX} 00 01`, "ORT_TREE_FORM"],
    ["T4", "a version hash on Uniform", `${PAIR_HEX} 01 07 01`, "ORT_TREE_FORM"],
    ["T4", "a version hash on Branch", `${PAIR_HEX} 04 01 ${ONE_HEX} 01 07 00 01`, "ORT_TREE_FORM"],
    ["T5", "air as Uniform", `${PAIR_HEX} 01 00 00`, "ORT_TREE_FORM"],
    [
      "T6",
      "an array elsewhere than its node",
      `${ONE_HEX} 03 ${NEXT_HEX} 01 ${HALF_HEX} ${SINGLE_INDEX_HEX} 00`,
      "ORT_TREE_BOUNDS",
    ],
    [
      "T17",
      "an array of one block",
      `${ONE_HEX} 03 ${ONE_HEX} 01 0107 ${SINGLE_INDEX_HEX} 00`,
      "ORT_TREE_FORM",
    ],
    [
      "T17",
      "two arrays in one region",
      `${PAIR_HEX} 04 02 ${ONE_HEX} 03 ${ONE_HEX} 01 ${HALF_HEX} ${SINGLE_INDEX_HEX} 00 ${NEXT_HEX} 03 ${NEXT_HEX} 01 ${HALF_HEX} ${SINGLE_INDEX_HEX} 00 00`,
      "ORT_TREE_FORM",
    ],
    [
      "T18",
      "two boxes where one says the same",
      `${PAIR_HEX} 04 02 ${ONE_HEX} 01 07 00 ${NEXT_HEX} 01 07 00 00`,
      "ORT_TREE_FORM",
    ],
    ["T19", "a branch of nothing", `${PAIR_HEX} 04 00 00`, "ORT_TREE_FORM"],
    ["T19", "a branch of one that is all", `${PAIR_HEX} 04 01 ${PAIR_HEX} 01 07 00 00`, "ORT_TREE_FORM"],
    [
      "T19",
      "a branch in a branch",
      `${PAIR_HEX} 04 01 ${PAIR_HEX} 04 01 ${ONE_HEX} 01 07 00 00 00`,
      "ORT_TREE_FORM",
    ],
    ["T19", "an Empty child", `${PAIR_HEX} 04 02 ${ONE_HEX} 01 07 00 ${NEXT_HEX} 00 00 00`, "ORT_TREE_FORM"],
    [
      "T19",
      "children out of order",
      `${PAIR_HEX} 04 02 ${NEXT_HEX} 01 07 00 ${ONE_HEX} 01 08 00 00`,
      "ORT_TREE_FORM",
    ],
    [
      "T22",
      "children that overlap",
      `${PAIR_HEX} 04 02 ${ONE_HEX} 01 07 00 ${PAIR_HEX} 01 08 00 00`,
      "ORT_TREE_BOUNDS",
    ],
    ["T22", "a child that reaches out", `${ONE_HEX} 04 01 ${PAIR_HEX} 01 07 00 00`, "ORT_TREE_BOUNDS"],
    ["T21", "4,096 children", `${PAIR_HEX} 04 8020 ${"00".repeat(5000)}`, "ORT_LIMIT"],
    ["T21", "a generator's name of 257 bytes", `${PAIR_HEX} 02 8102 ${"61".repeat(300)}`, "ORT_LIMIT"],
    ["T21", "parameters of 4,097 bytes", `${PAIR_HEX} 02 0161 8120 ${"61".repeat(300)}`, "ORT_LIMIT"],
    ["T20", "bytes behind it", `${PAIR_HEX} 00 00 00`, "ORT_TRAILING_BYTES"],
  ])("[%s] refuses %s", (_rule, _name, hex, code) => {
    expect(codeOf(() => decodeHex(hex))).toBe(code);
  });

  test("[T20] is refused when truncated at any byte", () => {
    const tree = empty
      .fill(cubeAt([0, 0, 0, 0], 4), flat)
      .set([1, 0, 0, 0], half)
      .set([1, 1, 0, 0], stone);
    const bytes = encode(codec, { bounds: cubeAt([0, 0, 0, 0], 5), tree });
    for (let length = 0; length < bytes.length; length++) {
      expect(codeOf(() => decode(codec, bytes.subarray(0, length)))).toBe("ORT_TRUNCATED");
    }
  });
});

describe("random trees", () => {
  test.each([HYPERCUBE_CHUNKS, CUBE_CHUNKS, TILE_CHUNKS])(
    "[T20] survive a round trip, for chunks of $extents",
    (shape) => {
      const shaped = regionTreeCodec(shape.volume);
      for (let seed = 0; seed < 40; seed++) {
        const prng = new Prng(seed);
        const near: Position = prng.pick([
          [0, 0, 0, 0],
          [100_000, -100_000, 7, -(2 ** 31) + 6],
        ] as const);
        const bounds = randomBox(prng, 14, near);
        const tree = randomTree(prng, shape, 25, near).slice(bounds);
        const bytes = encode(shaped, { bounds, tree });
        const found = decode(shaped, bytes);
        expect(found.bounds).toEqual(bounds);
        expect(found.tree.equals(tree), `seed ${seed}`).toBe(true);
        expect(
          decodeForeign(foreignRegionTreeCodec(shape.volume), bytes).tree.equals(tree),
          `seed ${seed}`,
        ).toBe(true);
      }
    },
  );

  test("[T20] have the same bytes whatever edits led to them", () => {
    for (let seed = 0; seed < 30; seed++) {
      const prng = new Prng(seed);
      const target = randomTree(prng, TILE_CHUNKS, 15);
      // Another way to the same content: other content first, then every chunk separately, in another order.
      let rebuilt = changeTree(prng, randomTree(prng, TILE_CHUNKS, 5), TILE_CHUNKS).slice(
        cubeAt([-20, -20, -20, -20], 40),
      );
      const positions = [...target.pieces()].flatMap(({ box, content }) =>
        [...positionsLexicographic(box)].map((position) => ({ position, content })),
      );
      rebuilt = rebuilt.carve(cubeAt([-20, -20, -20, -20], 40));
      for (const { position, content } of positions.reverse()) rebuilt = rebuilt.set(position, content);
      const bounds = cubeAt([-20, -20, -20, -20], 40);
      const shaped = regionTreeCodec(TILE_CHUNKS.volume);
      expect(toHex(encode(shaped, { bounds, tree: rebuilt })), `seed ${seed}`).toBe(
        toHex(encode(shaped, { bounds, tree: target })),
      );
    }
  });

  test("[T20] are refused or unchanged after any of their bytes was changed", () => {
    const prng = new Prng(7);
    const bounds = cubeAt([-6, -6, -6, -6], 12);
    const tree = randomTree(prng, { extents: [2, 1, 1, 1], volume: VOLUME }, 12).slice(bounds);
    const bytes = encode(codec, { bounds, tree });
    for (let attempt = 0; attempt < 3000; attempt++) {
      const damaged = bytes.slice();
      damaged[prng.below(bytes.length)] = prng.below(256);
      let found: ReturnType<typeof decode<{ bounds: Box; tree: RegionTree }>>;
      try {
        found = decode(codec, damaged);
      } catch (error) {
        expect(error).toHaveProperty("code");
        continue;
      }
      expect(toHex(encode(codec, found))).toBe(toHex(damaged));
    }
  });
});

describe("hostile trees", () => {
  test("[T21] are refused before they are built if they would be cut into too many leaves", () => {
    const low = "ffffffff0f".repeat(3);
    const high = "feffffff0f".repeat(3);
    // Two slabs of one chunk each, side by side, across the whole lattice.
    const slabs = `04 02 02${low} 02${high} 01 07 00 04${low} 04${high} 01 08 00 00`;
    const hex = `ffffffff0f${low} feffffff0f${high} ${slabs}`.replaceAll(" ", "");
    expect(codeOf(() => decode(codec, fromHex(hex)))).toBe("ORT_LIMIT");
    expect(codeOf(() => decodeForeign(foreign, fromHex(hex)))).toBe("ORT_LIMIT");
  });

  test("[T21] cannot be written with more than 4,096 nodes", () => {
    let tree = empty;
    for (let x = 0; x < TREE_NODES_MAX - 1; x++)
      tree = tree.set([x * 8, 0, 0, 0], x % 2 === 0 ? stone : sand);
    const bytes = encode(codec, { bounds: WHOLE_LATTICE, tree });
    expect(decode(codec, bytes).tree.equals(tree)).toBe(true);
    const more = tree.set([-8, 0, 0, 0], stone);
    expect(codeOf(() => encode(codec, { bounds: WHOLE_LATTICE, tree: more }))).toBe("ORT_LIMIT");
  });
});

/** Returns an array of 32,768 empty chunks in a row, starting at a multiple of that. */
function wideArrayHex(index: number): string {
  const bounds = `${toHex(encode(boxCodec, boxBetween([index * 32_768, 0, 0, 0], [(index + 1) * 32_768, 1, 1, 1])))}`;
  const extents = "00800000 01000000 01000000 01000000";
  return `${bounds} 03 ${bounds} 01 00 01 18 0104 0000 ${extents} 00000000 01 00 00`;
}

describe("a tree of another program", () => {
  test("[T23] may be nested, and contain Empty and air", () => {
    const nested = `${PAIR_HEX} 04 02 ${ONE_HEX} 04 01 ${ONE_HEX} 01 07 00 00 ${NEXT_HEX} 01 00 00 00`;
    const { tree, bounds } = decodeForeign(foreign, fromHex(nested));
    expect(bounds).toEqual(PAIR);
    expect(tree.equals(empty.set([0, 0, 0, 0], stone))).toBe(true);
    const empties = `${PAIR_HEX} 04 02 ${NEXT_HEX} 00 00 ${ONE_HEX} 01 07 00 00`;
    expect(decodeForeign(foreign, fromHex(empties)).tree.equals(tree)).toBe(true);
  });

  test("[T23] is rewritten in canonical form", () => {
    const hex = `${PAIR_HEX} 04 02 ${NEXT_HEX} 01 07 00 ${ONE_HEX} 01 07 00 00`;
    const found = decodeForeign(foreign, fromHex(hex));
    expect(toHex(encode(foreign, found))).toBe(`${PAIR_HEX}010700`.replaceAll(" ", ""));
  });

  test.each<[name: string, hex: string, code: ErrorCode]>([
    [
      "children that overlap",
      `${PAIR_HEX} 04 02 ${ONE_HEX} 01 07 00 ${PAIR_HEX} 01 08 00 00`,
      "ORT_TREE_BOUNDS",
    ],
    ["a child that reaches out", `${ONE_HEX} 04 01 ${PAIR_HEX} 01 07 00 00`, "ORT_TREE_BOUNDS"],
    [
      "an array elsewhere than its node",
      `${ONE_HEX} 03 ${NEXT_HEX} 01 ${HALF_HEX} ${SINGLE_INDEX_HEX} 00`,
      "ORT_TREE_BOUNDS",
    ],
    [
      "arrays of too many cells together",
      `00000000 be808008 000000 04 21 ${Array.from({ length: 33 }, (_, index) => wideArrayHex(index)).join("")} 00`,
      "ORT_LIMIT",
    ],
    ["branches nested too deep", `${`${ONE_HEX}0401`.repeat(34)}${ONE_HEX}010700`, "ORT_LIMIT"],
  ])("[T23] is refused with %s", (_name, hex, code) => {
    expect(codeOf(() => decodeForeign(foreign, fromHex(hex.replaceAll(" ", ""))))).toBe(code);
  });
});

/** Returns the bytes of the worked example on the page of region trees, whose lines have hex digits and, after a bar, words. */
function workedExample(): string {
  const text = readFileSync(new URL(`../../docs/formats/region-tree.md`, import.meta.url), "utf8");
  const block = /## Worked example\n[^`]*```\n(?<lines>[^`]*)```/.exec(text)?.groups?.["lines"] ?? "";
  return block.replaceAll(/\|.*$/gm, "").replaceAll(/\s/g, "");
}

describe("the worked example of a tree", () => {
  test("[T19] matches what we write and read", () => {
    const tree = RegionTree.EMPTY.set([0, 0, 0, 0], chunkFromVoxels(Uint16Array.of(0, 5))).set(
      [1, 0, 0, 0],
      uniformChunk(2, 7),
    );
    const hex = workedExample();
    const bounds = { min: [0, 0, 0, 0], max: [2, 1, 1, 1] } as const;
    expect(toHex(encode(regionTreeCodec(2), { bounds, tree }))).toBe(hex);
    expect(decode(regionTreeCodec(2), fromHex(hex)).tree.equals(tree)).toBe(true);
  });
});
