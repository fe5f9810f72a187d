import {
  type Box,
  type Chunk,
  CUBE_CHUNKS,
  chunkFromVoxels,
  type ErrorCode,
  emptyChunk,
  HYPERCUBE_CHUNKS,
  type Position,
  TILE_CHUNKS,
  uniformChunk,
} from "@orthant/core";
import { type Codec, decode, encode } from "@orthant/core/bytes";
import { chunkCodec } from "@orthant/core/chunk";
import { ChunkArray, readChunkArrayBody, writeChunkArrayBody } from "@orthant/core/internal";
import { boxAt, boxBetween, boxCodec, positionFrom, positionsMinorToMajor } from "@orthant/core/lattice";
import { arrayRowHex, codeOf, fromHex, Prng, randomChunk, toHex } from "@orthant/testkit";
import { describe, expect, test } from "vitest";

const VOLUME = 2;
const codec = arrayCodec(VOLUME);
const air = emptyChunk(VOLUME);
const stone = uniformChunk(VOLUME, 1);
const sand = uniformChunk(VOLUME, 2);
const half = chunkFromVoxels(Uint16Array.of(0, 5));

/** Returns a codec of bounds and array, as in a region tree. */
function arrayCodec(volume: number): Codec<ChunkArray> {
  const chunks = chunkCodec(volume);
  return {
    write(out, array) {
      boxCodec.write(out, array.bounds);
      writeChunkArrayBody(out, array, chunks);
    },
    read: (input) => readChunkArrayBody(input, boxCodec.read(input), chunks),
  };
}

/** Five chunks in a row: two pages, of four cells and of one. */
const ROW: Box = boxBetween([0, 0, 0, 0], [5, 1, 1, 1]);
const ROW_HEX = "00000000 08000000";

function voxelsOf(chunks: readonly Chunk[]): readonly (readonly number[])[] {
  return chunks.map((chunk) => [...chunk.voxels()]);
}

/** Air, air, stone, stone and, in the second page, stone: the default is stone. */
const PAGE_0 = "0000000000000000 0200 0200 0000 0200 0100";
const PAGE_1_AIR = "0100000000000000 0100 0100 0000";
const PAGE_1_STONE = "0100000000000000 0100 0100 0100";
const canonicalHex = arrayRowHex({ pages: `01000000 ${PAGE_0}`, defaultIndex: "01 01" });
const canonical = new ChunkArray(ROW, [air, air, stone, stone, stone]);

describe("a chunk array", () => {
  test("[T8] has each chunk once, in the order of their first cells", () => {
    const twin = chunkFromVoxels(Uint16Array.of(0, 5));
    const array = new ChunkArray(boxBetween([0, 0, 0, 0], [2, 2, 1, 1]), [sand, half, twin, sand]);
    expect(voxelsOf(array.palette)).toEqual([
      [2, 2],
      [0, 5],
    ]);
    expect([...array.indices]).toEqual([0, 1, 1, 0]);
    expect(array.at([0, 1, 0, 0])).toBe(half);
    expect(codeOf(() => array.at([2, 0, 0, 0]))).toBe("ORT_ARGUMENT");
  });

  test.each<[name: string, cells: readonly Chunk[], expected: number | undefined]>([
    ["the most frequent chunk, where a page holds nothing else", [air, air, stone, stone, stone], 1],
    ["the first of several that are as frequent", [stone, stone, sand, sand, air], undefined],
    ["nothing where no page would be left out", [stone, stone, stone, sand, sand], undefined],
    ["the only chunk", [half, half, half, half, half], 0],
  ])("[T9] has as its default %s", (_name, cells, expected) => {
    expect(new ChunkArray(ROW, cells).defaultIndex).toBe(expected);
  });

  test("[T9] has the lowest index as its default when two chunks are equally frequent", () => {
    const bounds = boxBetween([0, 0, 0, 0], [8, 1, 1, 1]);
    expect(new ChunkArray(bounds, [sand, sand, sand, sand, air, air, air, air]).defaultIndex).toBe(0);
  });

  test("[T7] is refused with no cells, too many, or another number of chunks", () => {
    const wide = boxBetween([0, 0, 0, 0], [65_537, 1, 1, 1]);
    expect(codeOf(() => new ChunkArray(wide, []))).toBe("ORT_ARGUMENT");
    expect(codeOf(() => new ChunkArray(ROW, [air]))).toBe("ORT_ARGUMENT");
  });
});

describe("the bytes of a chunk array", () => {
  test("[T6] are bounds, palette, index codec, indices and default", () => {
    expect(toHex(encode(codec, canonical))).toBe(canonicalHex);
    const array = decode(codec, fromHex(canonicalHex));
    expect(array.bounds).toEqual(ROW);
    expect(voxelsOf(array.palette)).toEqual([
      [0, 0],
      [1, 1],
    ]);
    expect([...array.indices]).toEqual([0, 0, 1, 1, 1]);
    expect(array.defaultIndex).toBe(1);
  });

  test("[T9] an array of a single chunk has no page", () => {
    const single = new ChunkArray(boxAt([0, 0, 0, 0]), [half]);
    const ones = "01000000".repeat(4);
    expect(toHex(encode(codec, single))).toBe(
      `${"00".repeat(8)}010302000501180104${"0000"}${ones}00000000${"0100"}`,
    );
  });

  test.each<[rule: string, name: string, hex: string, code: ErrorCode]>([
    [
      "T8",
      "a chunk that is listed twice",
      arrayRowHex({
        palette: "03 00 0101 00",
        pages: `02000000 0000000000000000 0300 0200 0000 0100 0100 0100 0200 ${PAGE_1_STONE}`,
      }),
      "ORT_ARRAY_PALETTE",
    ],
    [
      "T8",
      "a chunk that is in no cell",
      arrayRowHex({ palette: "03 00 0101 0102", pages: `01000000 ${PAGE_0}`, defaultIndex: "01 01" }),
      "ORT_ARRAY_PALETTE",
    ],
    [
      "T8",
      "a palette out of order",
      arrayRowHex({
        palette: "02 0101 00",
        pages: "01000000 0000000000000000 0200 0200 0100 0200 0000",
        defaultIndex: "01 00",
      }),
      "ORT_ARRAY_PALETTE",
    ],
    [
      "T9",
      "no default where one leaves out a page",
      arrayRowHex({ pages: `02000000 ${PAGE_0} ${PAGE_1_STONE}` }),
      "ORT_ARRAY_DEFAULT",
    ],
    [
      "T9",
      "a default that is not the most frequent chunk",
      arrayRowHex({ pages: "01000000 0000000000000000 0200 0300 0000 0100 0100", defaultIndex: "01 01" }),
      "ORT_ARRAY_DEFAULT",
    ],
    [
      "T9",
      "a default that leaves out nothing",
      arrayRowHex({ pages: `02000000 ${PAGE_0} ${PAGE_1_AIR}`, defaultIndex: "01 01" }),
      "ORT_ARRAY_DEFAULT",
    ],
    [
      "T9",
      "a default behind the palette",
      arrayRowHex({ pages: `01000000 ${PAGE_0}`, defaultIndex: "01 02" }),
      "ORT_ARRAY_DEFAULT",
    ],
    [
      "T10",
      "indices as DenseU16",
      `${ROW_HEX} 02 00 0101 00 0a 0000 0000 0100 0100 0100 00`,
      "ORT_ARRAY_HEADER",
    ],
    [
      "T10",
      "an unknown index codec",
      arrayRowHex({ indexCodec: "02", pages: `01000000 ${PAGE_0}`, defaultIndex: "01 01" }),
      "ORT_TAG",
    ],
    [
      "T11",
      "version 2",
      arrayRowHex({ header: "02 04 0000", pages: `01000000 ${PAGE_0}`, defaultIndex: "01 01" }),
      "ORT_VERSION",
    ],
    [
      "T11",
      "a page edge of 8",
      arrayRowHex({ header: "01 08 0000", pages: `01000000 ${PAGE_0}`, defaultIndex: "01 01" }),
      "ORT_ARRAY_HEADER",
    ],
    [
      "T11",
      "something in the reserved field",
      arrayRowHex({ header: "01 04 0900", pages: `01000000 ${PAGE_0}`, defaultIndex: "01 01" }),
      "ORT_ARRAY_HEADER",
    ],
    [
      "T11",
      "other extents than the bounds have",
      arrayRowHex({
        extents: "06000000 01000000 01000000 01000000",
        pages: `01000000 ${PAGE_0}`,
        defaultIndex: "01 01",
      }),
      "ORT_ARRAY_HEADER",
    ],
    ["T11", "more pages than there can be", arrayRowHex({ pages: "ffffffff" }), "ORT_ARRAY_PAGE"],
    [
      "T12",
      "pages out of order",
      arrayRowHex({ pages: `02000000 ${PAGE_1_AIR} ${PAGE_0}` }),
      "ORT_ARRAY_PAGE",
    ],
    ["T12", "a page twice", arrayRowHex({ pages: `02000000 ${PAGE_0} ${PAGE_0}` }), "ORT_ARRAY_PAGE"],
    [
      "T12",
      "a page that is not in the grid",
      arrayRowHex({ pages: `01000000 07${PAGE_0.slice(2)}`, defaultIndex: "01 01" }),
      "ORT_ARRAY_PAGE",
    ],
    [
      "T13",
      "a page that says what the default says",
      arrayRowHex({ pages: `02000000 ${PAGE_0} ${PAGE_1_STONE}`, defaultIndex: "01 01" }),
      "ORT_ARRAY_PAGE",
    ],
    ["T13", "a missing page and no default", arrayRowHex({ pages: `01000000 ${PAGE_0}` }), "ORT_ARRAY_PAGE"],
    [
      "T14",
      "a run of no cells",
      arrayRowHex({ pages: "01000000 0000000000000000 0200 0000 0000 0400 0100", defaultIndex: "01 01" }),
      "ORT_ARRAY_RUN",
    ],
    [
      "T14",
      "runs that are too long",
      arrayRowHex({ pages: "01000000 0000000000000000 0200 0200 0000 0300 0100", defaultIndex: "01 01" }),
      "ORT_ARRAY_RUN",
    ],
    [
      "T14",
      "runs that are too short",
      arrayRowHex({ pages: "01000000 0000000000000000 0200 0200 0000 0100 0100", defaultIndex: "01 01" }),
      "ORT_ARRAY_RUN",
    ],
    [
      "T14",
      "equal runs side by side",
      arrayRowHex({
        pages: "01000000 0000000000000000 0300 0100 0000 0100 0000 0200 0100",
        defaultIndex: "01 01",
      }),
      "ORT_ARRAY_RUN",
    ],
    [
      "T15",
      "an index behind the palette",
      arrayRowHex({ pages: "01000000 0000000000000000 0200 0200 0500 0200 0100", defaultIndex: "01 01" }),
      "ORT_ARRAY_PALETTE",
    ],
    [
      "T15",
      "bytes behind the last page",
      arrayRowHex({ pages: `01000000 ${PAGE_0} 00`, defaultIndex: "01 01" }),
      "ORT_TRAILING_BYTES",
    ],
    ["T7", "257 cells", `00000000 80040000 00 ${"00"}`, "ORT_LIMIT"],
    ["T7", "a palette of more chunks than cells", `${ROW_HEX} 06 ${"00".repeat(40)}`, "ORT_LIMIT"],
    [
      "T7",
      "index data that is longer than any can be",
      `${ROW_HEX} 02 00 0101  01 ff7f ${"00".repeat(40)}`,
      "ORT_LIMIT",
    ],
  ])("[%s] refuse %s", (_rule, _name, hex, code) => {
    expect(codeOf(() => decode(codec, fromHex(hex.replaceAll(" ", ""))))).toBe(code);
  });

  test("[T15] are refused when truncated at any byte", () => {
    const bytes = encode(codec, new ChunkArray(ROW, [half, stone, half, sand, sand]));
    for (let length = 0; length < bytes.length; length++) {
      expect(codeOf(() => decode(codec, bytes.subarray(0, length)))).toBe("ORT_TRUNCATED");
    }
  });

  test.each([HYPERCUBE_CHUNKS, CUBE_CHUNKS, TILE_CHUNKS])(
    "[T6] survive a round trip, for chunks of $extents",
    (shape) => {
      const shaped = arrayCodec(shape.volume);
      for (let seed = 0; seed < 60; seed++) {
        const prng = new Prng(seed);
        const palette = Array.from({ length: prng.between(1, 4) }, () => randomChunk(prng, shape));
        const min: Position = positionFrom(() => prng.between(-9, 9));
        const bounds = boxBetween(
          min,
          positionFrom((axis) => min[axis] + prng.between(1, prng.pick([2, 4]))),
        );
        const cells = [...positionsMinorToMajor(bounds)].map(() => prng.pick(palette));
        const array = new ChunkArray(bounds, cells);
        const bytes = encode(shaped, array);
        const found = decode(shaped, bytes);
        expect(
          found.chunks().every((chunk, cell) => chunk.equals(cells[cell] as Chunk)),
          `seed ${seed}`,
        ).toBe(true);
        expect(toHex(encode(shaped, found)), `seed ${seed}`).toBe(toHex(bytes));
      }
    },
  );

  test("[T12] number pages from the lowest corner, x fastest, and clip them at the far side", () => {
    const bounds = boxBetween([10, 20, 30, 40], [15, 23, 36, 42]);
    const far = positionsMinorToMajor(bounds);
    const cells = [...far].map(([x, , z]) => (x === 14 && z >= 34 ? half : stone));
    const hex = toHex(encode(codec, new ChunkArray(bounds, cells)));
    // Of the four pages the last, 1 x 3 x 2 x 2, has only `half`; the others only stone.
    expect(hex.endsWith(`01000000${"0300000000000000"}0100${"0c00"}0100${"0100"}`)).toBe(true);
  });
});
