import { type BlockDefinitions, DEFAULT_BLOCKS } from "@orthant/core";
import { blockHandles, defineBlocks, renameBlock, retireBlock } from "@orthant/core/chunk";
import { codeOf } from "@orthant/testkit";
import { describe, expect, test } from "vitest";

const definitions = {
  copper: { colour: 0xb8_73_33, solid: true },
  chest: { colour: 0x8b_5a_2b, properties: { facing: ["north", "east", "south", "west"] }, tags: ["holds"] },
} as const satisfies BlockDefinitions;
const defined = defineBlocks(DEFAULT_BLOCKS, definitions);

describe("defining blocks", () => {
  test("adds types behind the last one, with handles for their ids", () => {
    const { copper, chest } = blockHandles(defined, definitions);
    expect([copper.id(), chest.id(), chest.id({ facing: "east" }), chest.id({ facing: "west" })]).toEqual([
      16, 17, 18, 20,
    ]);
    expect(defined.byName("chest")).toEqual({
      id: 17,
      name: "chest",
      colour: 0x8b_5a_2b,
      solid: true,
      transparent: false,
      light: 0,
      properties: [{ name: "facing", values: ["north", "east", "south", "west"] }],
      tags: ["holds"],
      retired: false,
      opacity: 15,
    });
    expect(defined.types.slice(0, 16)).toEqual(DEFAULT_BLOCKS.types);
  });

  test("changes nothing when all types are there, in any order and with what a definition leaves out", () => {
    expect(defineBlocks(defined, definitions)).toBe(defined);
    const { chest, copper } = definitions;
    expect(defineBlocks(defined, { chest, copper })).toBe(defined);
    expect(defineBlocks(defined, { chest: {}, stone: {} })).toBe(defined);
    expect(blockHandles(defined, { chest: {} }).chest.id({ facing: "south" })).toBe(19);
  });

  test("gives a type without a colour its own one, and takes what glows and is clear from its name", () => {
    const next = defineBlocks(DEFAULT_BLOCKS, { "blue glass": {}, torch: { light: 9 }, fire: {} });
    expect(next.byName("blue glass")).toMatchObject({ transparent: true, light: 0, solid: true });
    expect([next.lightOf(17), next.lightOf(18)]).toEqual([9, 15]);
    expect(next.colourOf(16)).not.toBe(next.colourOf(17));
  });

  test.each<[field: string, definitions: BlockDefinitions, message: RegExp]>([
    [
      "colour",
      { copper: { colour: 1 } },
      /its colour is 0xb87333 in this world and 0x000001 in the definition/,
    ],
    ["solid", { copper: { solid: false } }, /its solid is true in this world and false/],
    ["light", { copper: { light: 3 } }, /its light is 0 in this world and 3/],
    ["tags", { chest: { tags: ["holds", "burns"] } }, /its tags is \["holds"\].*\["burns","holds"\]/],
    [
      "properties",
      { copper: { properties: { age: ["0"] } } },
      /is \{\} in this world and \{ "age": \["0"\] \}/,
    ],
    [
      "the order of values",
      { chest: { properties: { facing: ["east", "north", "south", "west"] } } },
      /"facing"/,
    ],
  ])("refuses a definition with another %s, and says what differs", (_field, wrong, message) => {
    expect(() => defineBlocks(defined, { tin: {}, ...wrong })).toThrow(message);
    expect(codeOf(() => defineBlocks(defined, wrong))).toBe("ORT_ARGUMENT");
  });

  test.each<[name: string, wrong: unknown, message: RegExp]>([
    ["a list", [], /blocks is \[\]/],
    ["a field that there is not", { tin: { color: 1 } }, /blocks\.tin\.color is 1 .*there are colour, solid/],
    ["a colour that is not a number", { tin: { colour: "red" } }, /blocks\.tin\.colour is "red"/],
    [
      "values that are not a list",
      { tin: { properties: { age: "7" } } },
      /blocks\.tin\.properties\.age is "7"/,
    ],
    ["an empty name", { "": {} }, /name of 0 letters/],
    [
      "more ids than there are",
      {
        tin: {
          properties: Object.fromEntries(
            ["a", "b"].map((n) => [n, Array.from({ length: 256 }, (_, at) => `${at}`)]),
          ),
        },
      },
      /up to 65556/,
    ],
    [
      "more bytes than can be sent",
      Object.fromEntries(Array.from({ length: 5_000 }, (_, index) => [`${index}`.padStart(60, "x"), {}])),
      /262144 may be/,
    ],
  ])("refuses %s", (_name, wrong, message) => {
    expect(() => defineBlocks(defined, wrong as BlockDefinitions)).toThrow(message);
  });
});

describe("renaming and retiring", () => {
  test("keeps a type's ids under its new name, and can be repeated", () => {
    const renamed = renameBlock(defined, "chest", "game:chest");
    expect(renamed.id("game:chest", { facing: "east" })).toBe(18);
    expect(renamed.byName("chest")).toBeUndefined();
    expect(renameBlock(renamed, "chest", "game:chest")).toBe(renamed);
    expect(renameBlock(renamed, "copper", "copper")).toBe(renamed);
  });

  test.each<[name: string, from: string, to: unknown]>([
    ["a type that is not there", "tin", "lead"],
    ["air", "air", "void"],
    ["to a name that another type has", "copper", "chest"],
    ["to an empty name", "copper", ""],
    ["to no name", "copper", 7],
  ])("refuses to rename %s", (_name, from, to) => {
    expect(codeOf(() => renameBlock(defined, from, to as string))).toBe("ORT_ARGUMENT");
  });

  test("retires a type, which keeps its ids and its name until it is defined again", () => {
    const retired = retireBlock(defined, "copper");
    expect(retired.byId(16)).toEqual({ ...defined.byId(16), retired: true });
    expect(retireBlock(retired, "copper")).toBe(retired);
    const again = defineBlocks(retired, definitions);
    expect(again.types).toEqual(defined.types);
    expect(codeOf(() => retireBlock(defined, "air"))).toBe("ORT_ARGUMENT");
    expect(codeOf(() => retireBlock(defined, "tin"))).toBe("ORT_ARGUMENT");
  });
});
