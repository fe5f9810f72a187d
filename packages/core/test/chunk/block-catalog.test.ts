import { readFileSync } from "node:fs";
import { BlockCatalog, type BlockType, DEFAULT_BLOCKS, type ErrorCode } from "@orthant/core";
import { decode, encode } from "@orthant/core/bytes";
import { blockCatalogCodec, type NewBlockType } from "@orthant/core/chunk";
import { codeOf, fromHex, toHex } from "@orthant/testkit";
import { describe, expect, test } from "vitest";

const plain = {
  transparent: false,
  light: 0,
  opacity: 15,
  properties: [],
  tags: [],
  retired: false,
  shape: [],
};
const air: BlockType = {
  ...plain,
  id: 0,
  name: "air",
  colour: 0,
  solid: false,
  transparent: true,
  opacity: 0,
};
const stone: BlockType = { ...plain, id: 1, name: "stone", colour: 0x8a_8d_91, solid: true };
const airHex = "00 03 616972 000000 00";
const stoneHex = "01 05 73746f6e65 8a8d91 01";

describe("a block catalog", () => {
  test("finds blocks by id and by name, and orders them by id", () => {
    const brick: BlockType = { ...plain, id: 900, name: "brick", colour: 0xff_ff_ff, solid: true };
    const catalog = new BlockCatalog([brick, stone, air]);
    expect(catalog.types).toEqual([air, stone, brick]);
    expect([catalog.byId(900), catalog.byName("stone")]).toEqual([brick, stone]);
    expect([catalog.byId(2), catalog.byName("Stone"), catalog.byName("toString")]).toEqual(new Array(3));
  });

  test("knows what is solid and transparent, and gives every block a colour", () => {
    const named = (id: number, name: string): NewBlockType => ({ id, name, colour: id, solid: id % 2 === 0 });
    const names = ["water", "blue ice", "glass", "glass door", "ice cream", "Ice", "hourglass", "lava"];
    const catalog = new BlockCatalog([air, ...names.map((name, index) => named(index + 1, name))]);
    expect(catalog.types.filter(({ id }) => catalog.isTransparent(id)).map(({ name }) => name)).toEqual([
      "air",
      "water",
      "blue ice",
      "glass",
    ]);
    expect([catalog.isSolid(0), catalog.isSolid(1), catalog.isSolid(2)]).toEqual([false, false, true]);
    expect([catalog.isSolid(77), catalog.isTransparent(77)], "an unknown block").toEqual([true, false]);
    expect(catalog.colourOf(3)).toBe(3);
    expect(catalog.colourOf(77)).not.toBe(catalog.colourOf(78));
    expect([catalog.lightOf(8), catalog.lightOf(1), catalog.lightOf(77)], "lava glows").toEqual([15, 0, 0]);
    expect([0, 1, 2, 3, 8, 77].map((id) => catalog.opacityOf(id))).toEqual([0, 2, 1, 1, 15, 15]);
    for (const part of [0, 8, 16]) expect((catalog.colourOf(77) >> part) & 0xff).toBeGreaterThanOrEqual(0x60);
  });

  test.each<[name: string, blocks: readonly NewBlockType[]]>([
    ["no air", [stone]],
    ["nothing", []],
    ["air by another name", [{ ...air, name: "void" }, stone]],
    ["solid air", [{ ...air, solid: true }, stone]],
    ["one id twice", [air, stone, { ...stone, name: "rock" }]],
    ["one name twice", [air, stone, { ...stone, id: 2 }]],
    ["a block without a name", [air, { ...stone, name: "" }]],
    ["a name of 65 letters", [air, { ...stone, name: "a".repeat(65) }]],
    ["an id above 16 bits", [air, { ...stone, id: 65_536 }]],
    ["a colour above 24 bits", [air, { ...stone, colour: 0x100_0000 }]],
    ["half a colour", [air, { ...stone, colour: 0.5 }]],
    ["opacity 16", [air, { ...stone, opacity: 16 }]],
    ["air that takes light away", [{ ...air, opacity: 1 }, stone]],
  ])("is refused with %s", (_name, blocks) => {
    expect(codeOf(() => new BlockCatalog(blocks))).toBe("ORT_ARGUMENT");
  });

  test("[C15, C18] has the bytes of the worked example on the format's page", () => {
    const page = readFileSync(new URL("../../../../docs/formats/chunk-payload.md", import.meta.url), "utf8");
    const [, example = ""] = page.match(/(?<=```hex\n)[^`]*/g) ?? [];
    const hex = example.replaceAll(/ {2,}.*$/gm, "").replaceAll(/\s/g, "");
    expect(hex).toBe(`0102${airHex}${stoneHex}`.replaceAll(" ", ""));
    expect(toHex(encode(blockCatalogCodec, new BlockCatalog([air, stone])))).toBe(hex);
    expect(decode(blockCatalogCodec, fromHex(hex)).types).toEqual([air, stone]);
  });

  test.each<[rule: string, name: string, hex: string, code: ErrorCode]>([
    ["C15", "version 0", `00 01 ${airHex}`, "ORT_VERSION"],
    ["C15", "version 5", `05 01 ${airHex}`, "ORT_VERSION"],
    ["C16", "no blocks", "01 00", "ORT_BLOCKS"],
    ["C16", "no air", `01 01 ${stoneHex}`, "ORT_BLOCKS"],
    ["C16", "solid air", "01 01 00 03 616972 000000 01", "ORT_BLOCKS"],
    ["C16", "blocks out of order", `01 02 ${stoneHex} ${airHex}`, "ORT_BLOCKS"],
    ["C16", "a block twice", `01 03 ${airHex} ${stoneHex} ${stoneHex}`, "ORT_BLOCKS"],
    ["C17", "a name twice", `01 02 ${airHex} 01 03 616972 000000 00`, "ORT_BLOCKS"],
    ["C17", "an empty name", `01 02 ${airHex} 01 00 000000 00`, "ORT_BLOCKS"],
    ["C17", "a name of 65 letters", `01 02 ${airHex} 01 41 ${"61".repeat(65)} 000000 00`, "ORT_BLOCKS"],
    ["C17", "a name of 193 bytes", `01 02 ${airHex} 01 c101 ${"61".repeat(193)} 000000 00`, "ORT_LIMIT"],
    ["C18", "neither solid nor not", `01 02 ${airHex} 01 01 61 000000 02`, "ORT_TAG"],
  ])("[%s] is refused with %s", (_rule, _name, hex, code) => {
    expect(codeOf(() => decode(blockCatalogCodec, fromHex(hex)))).toBe(code);
  });

  test("is refused when truncated at any byte", () => {
    const whole = encode(blockCatalogCodec, DEFAULT_BLOCKS);
    for (let length = 0; length < whole.length; length++) {
      expect(codeOf(() => decode(blockCatalogCodec, whole.subarray(0, length)))).toBe("ORT_TRUNCATED");
    }
    expect(codeOf(() => decode(blockCatalogCodec, Uint8Array.of(...whole, 0)))).toBe("ORT_TRAILING_BYTES");
  });

  test("[C17] may name blocks in any script, up to 64 letters of three bytes", () => {
    const catalog = new BlockCatalog([air, { ...stone, name: "漢".repeat(64) }]);
    expect(decode(blockCatalogCodec, encode(blockCatalogCodec, catalog)).types).toEqual(catalog.types);
  });

  test.each<[wrong: string, advice: string]>([
    ["chst", 'the nearest is "chest"'],
    ["Stone", 'the nearest is "stone"'],
    ["plank", 'the nearest are "oak planks", "spruce planks"'],
    ["copper", "its types list those that it has"],
    ["x", "its types list those that it has"],
    ["", "its types list those that it has"],
  ])("suggests only names that are near to %j", (wrong, advice) => {
    const names = ["chest", "oak planks", "spruce planks", "soil", "ice"];
    const more = names.map((name, index) => ({ ...stone, id: 2 + index, name }));
    const catalog = new BlockCatalog([air, stone, ...more]);
    expect(() => catalog.id(wrong)).toThrow(new RegExp(`this world has no such block; ${advice}$`));
  });

  test("has sixteen blocks with different colours by default", () => {
    expect(DEFAULT_BLOCKS.types.length).toBe(16);
    expect(new Set(DEFAULT_BLOCKS.types.map(({ colour }) => colour)).size).toBe(16);
    expect(DEFAULT_BLOCKS.byId(0)).toEqual(air);
    const whole = encode(blockCatalogCodec, DEFAULT_BLOCKS);
    expect(decode(blockCatalogCodec, whole).types).toEqual(DEFAULT_BLOCKS.types);
  });
});
