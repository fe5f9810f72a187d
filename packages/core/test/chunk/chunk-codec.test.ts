import { readFileSync } from "node:fs";
import { chunkFromVoxels, type ErrorCode, emptyChunk } from "@orthant/core";
import { decode, decodeForeign, encode } from "@orthant/core/bytes";
import { chunkCodec, foreignChunkCodec } from "@orthant/core/chunk";
import { codeOf, fromHex, toHex } from "@orthant/testkit";
import { describe, expect, test } from "vitest";

const scattered = [0, 0, 5, 5, 300, 0, 5, 0];
const scatteredHex = "02 03 00 05 ac02 02 01 d024";
/** The last of 22 three-bit indices starts in the highest bit of the first word. */
const straddling = [10, 20, 30, 40, 50, ...new Array<number>(16).fill(10), 50];

/** Expected bytes are worked out by hand from docs/formats/chunk-payload.md. */
const samples: [rule: string, name: string, voxels: readonly number[], hex: string][] = [
  ["C3", "air", new Array<number>(8).fill(0), "00"],
  ["C3", "one voxel of air", [0], "00"],
  ["C4", "one block", new Array<number>(8).fill(300), "01 ac02"],
  ["C4", "one voxel", [7], "01 07"],
  ["C7", "three blocks in the order of their appearance", scattered, scatteredHex],
  ["C9", "an index across two words", straddling, "02 05 0a141e2832 03 02 888d01 02"],
  ["C5", "blocks that are shorter as a list", [1, 2, 1, 1], "03 04 01020101"],
  ["C5", "blocks that are as short packed", [1, 2, 1, 1, 1], "02 02 0102 01 01 02"],
  ["C6", "a list with a block of three bytes", [65_535, 0], "03 02 ffff03 00"],
];

const refused: [rule: string, name: string, volume: number, hex: string, code: ErrorCode][] = [
  ["C1", "an unknown form", 8, "04", "ORT_TAG"],
  ["C3", "air as Uniform", 8, "01 00", "ORT_CHUNK_FORM"],
  ["C3", "air as PalettePacked", 8, "02 01 00 00 00", "ORT_CHUNK_FORM"],
  ["C3", "air as Dense16", 8, "03 08 0000000000000000", "ORT_CHUNK_FORM"],
  ["C4", "one block as PalettePacked", 8, "02 01 07 00 00", "ORT_CHUNK_FORM"],
  ["C4", "one block as Dense16", 8, "03 08 0707070707070707", "ORT_CHUNK_FORM"],
  ["C4", "a palette of none", 8, "02 00 00 00", "ORT_CHUNK_FORM"],
  ["C5", "Dense16 where PalettePacked is shorter", 8, "03 08 00000505ac02000500", "ORT_CHUNK_FORM"],
  ["C5", "Dense16 where PalettePacked is as short", 5, "03 05 0102010101", "ORT_CHUNK_FORM"],
  ["C5", "PalettePacked where Dense16 is shorter", 4, "02 02 0102 01 01 02", "ORT_CHUNK_FORM"],
  ["C6", "a list that is too short", 4, "03 03 010201", "ORT_CHUNK_VOLUME"],
  ["C6", "a list that is too long", 4, "03 05 0102010102", "ORT_CHUNK_VOLUME"],
  ["C7", "a palette in another order", 8, "02 03 05 00 ac02 02 01 858c01", "ORT_CHUNK_PALETTE"],
  ["C7", "an entry that does not occur", 8, "02 04 00 05 ac02 09 02 01 d024", "ORT_CHUNK_PALETTE"],
  ["C7", "a block listed twice", 8, "02 03 00 05 05 02 01 d024", "ORT_CHUNK_PALETTE"],
  ["C8", "too wide an index", 8, "02 03 00 05 ac02 03 01 d024", "ORT_CHUNK_PACKING"],
  ["C8", "too narrow an index", 8, "02 03 00 05 ac02 01 01 d024", "ORT_CHUNK_PACKING"],
  ["C9", "a word too many", 8, "02 03 00 05 ac02 02 02 d024 00", "ORT_CHUNK_PACKING"],
  ["C9", "a word too few", 8, "02 03 00 05 ac02 02 00", "ORT_CHUNK_PACKING"],
  ["C10", "a bit behind the last voxel", 8, "02 03 00 05 ac02 02 01 d0a404", "ORT_CHUNK_PACKING"],
  [
    "C10",
    "the highest bit of the last word",
    8,
    "02 03 00 05 ac02 02 01 d0a48080808080808001",
    "ORT_CHUNK_PACKING",
  ],
  ["C11", "an index behind the palette", 8, "02 03 00 05 ac02 02 01 d0a403", "ORT_CHUNK_PALETTE"],
  ["C13", "a palette longer than the chunk", 2, "02 03 010203 02 01 04", "ORT_LIMIT"],
  ["C13", "a palette of 2^32 - 1", 8, "02 ffffffff0f", "ORT_LIMIT"],
  ["C13", "2^53 - 1 words", 8, "02 03 00 05 ac02 02 ffffffffffffff0f", "ORT_CHUNK_PACKING"],
  ["C13", "2^53 - 1 blocks", 8, "03 ffffffffffffff0f", "ORT_CHUNK_VOLUME"],
];

describe("a chunk payload", () => {
  test.each(samples)("[%s] is written and read: %s", (_rule, _name, voxels, hex) => {
    const codec = chunkCodec(voxels.length);
    const chunk = chunkFromVoxels(Uint16Array.from(voxels));
    expect(toHex(encode(codec, chunk))).toBe(hex.replaceAll(" ", ""));
    expect(chunk.byteLength).toBe(fromHex(hex).length);
    expect([...decode(codec, fromHex(hex)).voxels()]).toEqual(voxels);
    expect(decode(codec, fromHex(hex)).equals(chunk)).toBe(true);
  });

  test.each(samples)("[%s] is refused when truncated at any byte: %s", (_rule, _name, voxels, hex) => {
    const whole = fromHex(hex);
    for (const codec of [chunkCodec(voxels.length), foreignChunkCodec(voxels.length)]) {
      for (let length = 0; length < whole.length; length++) {
        expect(
          codeOf(() => decode(codec, whole.subarray(0, length))),
          `${length} bytes`,
        ).toBe("ORT_TRUNCATED");
      }
      expect(codeOf(() => decode(codec, fromHex(`${hex}00`)))).toBe("ORT_TRAILING_BYTES");
    }
  });

  test.each(refused)("[%s] is refused with %s", (_rule, _name, volume, hex, code) => {
    expect(codeOf(() => decode(chunkCodec(volume), fromHex(hex)))).toBe(code);
  });

  test("[C12] has a codec for each volume from 1 to 65,536, which refuses chunks of another", () => {
    for (const volume of [0, 65_537, 1.5]) expect(codeOf(() => chunkCodec(volume))).toBe("ORT_ARGUMENT");
    expect(codeOf(() => foreignChunkCodec(0))).toBe("ORT_ARGUMENT");
    expect(codeOf(() => encode(chunkCodec(8), emptyChunk(9)))).toBe("ORT_ARGUMENT");
  });

  test("[C7, C9] matches the worked example on the format's page", () => {
    const page = readFileSync(new URL("../../../../docs/formats/chunk-payload.md", import.meta.url), "utf8");
    const [example = ""] = /(?<=```hex\n)[^`]*/.exec(page) ?? [];
    const hex = example.replaceAll(/ {2,}.*$/gm, "").replaceAll(/\s/g, "");
    expect(hex).toBe(scatteredHex.replaceAll(" ", ""));
    expect([...decode(chunkCodec(8), fromHex(hex)).voxels()]).toEqual(scattered);
  });
});

describe("a payload of another program", () => {
  test.each<[name: string, voxels: readonly number[], hex: string]>([
    ["air as Uniform", [0, 0, 0, 0], "01 00"],
    ["air as Dense16", [0, 0, 0, 0], "03 04 00000000"],
    ["a palette of one", [7, 7, 7, 7], "02 01 07 00 00"],
    ["PalettePacked where Dense16 is shorter", [1, 2, 1, 1], "02 02 0102 01 01 02"],
    ["Dense16 where PalettePacked is shorter", scattered, "03 08 00000505ac02000500"],
    ["a palette in another order", scattered, "02 03 05 00 ac02 02 01 858c01"],
    ["an entry that does not occur", scattered, "02 04 00 05 ac02 09 02 01 d024"],
    ["a block listed twice", [0, 0, 5, 5, 5, 0, 5, 0], "02 03 00 05 05 02 01 d024"],
    ["wider indices than needed", [1, 2, 1, 1], "02 02 0102 04 01 10"],
    ["bits behind the last voxel", scattered, "02 03 00 05 ac02 02 01 d0a404"],
    ["padded varints and bytes behind the payload", [7, 7], "8100 8700 ffff"],
  ])("[C14] is read and made canonical: %s", (_name, voxels, hex) => {
    const chunk = decodeForeign(foreignChunkCodec(voxels.length), fromHex(hex));
    expect([...chunk.voxels()]).toEqual(voxels);
    expect(chunk.equals(chunkFromVoxels(Uint16Array.from(voxels)))).toBe(true);
    expect(encode(foreignChunkCodec(voxels.length), chunk)).toEqual(encode(chunkCodec(voxels.length), chunk));
  });

  test.each<[name: string, volume: number, hex: string, code: ErrorCode]>([
    ["an unknown form", 8, "04", "ORT_TAG"],
    ["a palette of none", 8, "02 00 00 00", "ORT_CHUNK_PALETTE"],
    ["an index behind the palette", 8, "02 03 00 05 ac02 02 01 d0a403", "ORT_CHUNK_PALETTE"],
    ["indices of 17 bits", 4, "02 02 0102 11 02 00 00", "ORT_CHUNK_PACKING"],
    ["a word too few", 8, "02 03 00 05 ac02 02 00", "ORT_CHUNK_PACKING"],
    ["a word too many", 8, "02 03 00 05 ac02 02 02 d024 00", "ORT_CHUNK_PACKING"],
    ["a palette longer than the chunk", 2, "02 03 010203 02 01 04", "ORT_LIMIT"],
    ["a list of another length", 4, "03 03 010201", "ORT_CHUNK_VOLUME"],
    ["2^53 - 1 blocks", 8, "03 ffffffffffffff0f", "ORT_CHUNK_VOLUME"],
  ])("[C14] is refused with %s", (_name, volume, hex, code) => {
    expect(codeOf(() => decodeForeign(foreignChunkCodec(volume), fromHex(hex)))).toBe(code);
  });
});
