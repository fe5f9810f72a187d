import { chunkFromVoxels, type ErrorCode } from "@orthant/core";
import { decode, decodeForeign, encode } from "@orthant/core/bytes";
import { ChunkArray } from "@orthant/core/internal";
import { boxBetween } from "@orthant/core/lattice";
import { arrayRowHex, codeOf, fromHex, toHex } from "@orthant/testkit";
import { describe, expect, test } from "vitest";
import { chunkArrayCodec, foreignChunkArrayCodec } from "./chunk-array-codec.ts";

const VOLUME = 2;
const codec = chunkArrayCodec(VOLUME);
const foreign = foreignChunkArrayCodec(VOLUME);
const half = chunkFromVoxels(Uint16Array.of(0, 5));

/** Bounds of five chunks in a row: two pages, of four cells and of one. */
const ROW_HEX = "00000000 08000000";

/** Air, air, stone, stone and, in the second page, stone: the default is stone. */
const PAGE_0 = "0000000000000000 0200 0200 0000 0200 0100";
const PAGE_1_STONE = "0100000000000000 0100 0100 0100";
const canonicalHex = arrayRowHex({ pages: `01000000 ${PAGE_0}`, defaultIndex: "01 01" });

describe("a chunk array of another program", () => {
  test.each<[name: string, hex: string]>([
    ["pages in any order", arrayRowHex({ pages: `02000000 ${PAGE_1_STONE} ${PAGE_0}` })],
    [
      "equal runs side by side",
      arrayRowHex({
        pages: "01000000 0000000000000000 0300 0100 0000 0100 0000 0200 0100",
        defaultIndex: "01 01",
      }),
    ],
    [
      "something in the reserved field",
      arrayRowHex({ header: "01 04 0900", pages: `01000000 ${PAGE_0}`, defaultIndex: "01 01" }),
    ],
    ["any default", arrayRowHex({ pages: `02000000 ${PAGE_0} ${PAGE_1_STONE}`, defaultIndex: "01 00" })],
    [
      "chunks that are in no cell",
      arrayRowHex({ palette: "03 00 0101 0102", pages: `02000000 ${PAGE_0} ${PAGE_1_STONE}` }),
    ],
    ["DenseU16 indices", `${ROW_HEX} 02 00 0101 00 0a 0000 0000 0100 0100 0100 00`],
  ])("[T23] is read with %s, and becomes canonical", (_name, hex) => {
    const array = decodeForeign(foreign, fromHex(hex.replaceAll(" ", "")));
    expect(toHex(encode(codec, array))).toBe(canonicalHex);
  });

  test("[T23] may have 343 cells, which cannot be written", () => {
    const bounds = boxBetween([0, 0, 0, 0], [7, 7, 7, 1]);
    const array = new ChunkArray(bounds, new Array(343).fill(half));
    expect(codeOf(() => encode(codec, array))).toBe("ORT_ARGUMENT");
    const hex = `00000000 0c0c0c00 01 03020005 01 18 0104 0000 07000000 07000000 07000000 01000000 00000000 01 00`;
    expect(decodeForeign(foreign, fromHex(hex)).chunks()).toHaveLength(343);
    expect(codeOf(() => decode(codec, fromHex(hex)))).toBe("ORT_LIMIT");
  });

  test.each<[name: string, hex: string, code: ErrorCode]>([
    [
      "a DenseU16 index behind the palette",
      `${ROW_HEX} 02 00 0101 00 0a 0000 0000 0100 0100 0200 00`,
      "ORT_ARRAY_PALETTE",
    ],
    [
      "DenseU16 indices for fewer cells",
      `${ROW_HEX} 02 00 0101 00 08 0000 0000 0100 0100 00`,
      "ORT_TRUNCATED",
    ],
    ["65,537 cells", `00000000 80800800 00 00`, "ORT_LIMIT"],
    ["a page twice", arrayRowHex({ pages: `02000000 ${PAGE_0} ${PAGE_0}` }), "ORT_ARRAY_PAGE"],
  ])("[T23] is refused with %s", (_name, hex, code) => {
    expect(codeOf(() => decodeForeign(foreign, fromHex(hex.replaceAll(" ", ""))))).toBe(code);
  });
});
