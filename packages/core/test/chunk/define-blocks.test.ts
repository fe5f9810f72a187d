import { type BlockDefinitions, DEFAULT_BLOCKS } from "@orthant/core";
import { blockHandles, changeBlock, defineBlocks, renameBlock, retireBlock } from "@orthant/core/chunk";
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
      shape: [],
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
      /the limit is 262144/,
    ],
  ])("refuses %s", (_name, wrong, message) => {
    expect(() => defineBlocks(defined, wrong as BlockDefinitions)).toThrow(message);
  });
});

describe("changing a type", () => {
  test("changes what is given, for all of its ids, and nothing else", () => {
    const next = changeBlock(defined, "chest", { colour: 0x6f_a2_87, light: 3, tags: ["b", "a", "b"] });
    expect(next.byId(19)).toEqual({
      ...defined.byId(19),
      ...{ colour: 0x6f_a2_87, light: 3, tags: ["a", "b"] },
    });
    expect(next.types.filter(({ name }) => name !== "chest")).toEqual(
      defined.types.filter(({ name }) => name !== "chest"),
    );
    expect(changeBlock(next, "chest", { colour: 0x6f_a2_87, tags: ["b", "a"] })).toBe(next);
    expect(changeBlock(next, "chest", {})).toBe(next);
  });

  test("lets an opacity follow that was the default one", () => {
    const clear = changeBlock(defined, "copper", { transparent: true, solid: false });
    expect(clear.byName("copper")).toMatchObject({ transparent: true, solid: false, opacity: 1 });
    const dim = changeBlock(clear, "copper", { opacity: 6 });
    expect(changeBlock(dim, "copper", { transparent: false }).byName("copper")?.opacity).toBe(6);
    expect(changeBlock(dim, "copper", { transparent: false, opacity: 15 }).types).toEqual(
      changeBlock(clear, "copper", { transparent: false }).types,
    );
  });

  test.each<[name: string, type: string, changes: unknown, message: RegExp]>([
    ["a type that is not there", "coper", { light: 1 }, /the nearest is "copper"/],
    ["air", "air", { light: 1 }, /air stays as it is/],
    ["nothing", "copper", undefined, /changes is undefined.*colour: 0x6fa287/],
    ["properties", "chest", { properties: { facing: ["up"] } }, /changes\.properties.*properties stay/],
    ["a name", "copper", { name: "tin" }, /changes\.name is "tin".*there are colour, solid.* tags/],
    ["a light above 15", "copper", { light: 16 }, /changes\.light is 16/],
    ["an opacity that is not whole", "copper", { opacity: 0.5 }, /changes\.opacity is 0\.5/],
    ["a tag that cannot be shown", "copper", { tags: ["a\u202e"] }, /tag of block 16/],
    ["a tag that is too long", "copper", { tags: ["a".repeat(65)] }, /65/],
  ])("refuses %s", (_name, type, changes, message) => {
    const change = () => changeBlock(defined, type, changes as object);
    expect(change).toThrow(message);
    expect(codeOf(change)).toBe("ORT_ARGUMENT");
  });

  test("is what definitions do when they may, all or none of them", () => {
    const may = { change: true };
    const next = defineBlocks(defined, { tin: {}, copper: { light: 3 }, chest: { opacity: 0 } }, may);
    expect(next.byName("tin")?.id).toBe(defined.endId);
    expect([next.lightOf(16), next.opacityOf(20), next.colourOf(16)]).toEqual([3, 0, 0xb8_73_33]);
    expect(defineBlocks(next, { copper: { light: 3 } }, may)).toBe(next);
    const retired = retireBlock(defined, "copper");
    expect(defineBlocks(retired, { copper: { light: 3 } }, may).byName("copper")).toMatchObject({
      retired: false,
      light: 3,
    });
    const properties = { copper: { light: 3, properties: { age: ["0"] } } };
    expect(() => defineBlocks(defined, properties, may)).toThrow(/its properties is.*voxels hold them/);
    expect(() => defineBlocks(defined, { copper: { light: 3 } })).toThrow(
      /change it with changeBlock, or all blocks with defineBlocks\(definitions, \{ change: true \}\)/,
    );
    expect(() => defineBlocks(defined, {}, { change: 1 } as object)).toThrow(/change is 1/);
    expect(() => defineBlocks(defined, {}, { changes: true } as object)).toThrow(/no field changes/);
  });
});

describe("renaming and retiring", () => {
  test("keeps a type's ids under its new name, and can be repeated", () => {
    const renamed = renameBlock(defined, "chest", "game:chest");
    expect(renamed.id("game:chest", { facing: "east" })).toBe(18);
    expect(renamed.byName("chest")).toBeUndefined();
    expect(renameBlock(renamed, "chest", "game:chest")).toBe(renamed);
    expect(renameBlock(renamed, "copper", "copper")).toBe(renamed);
    expect(renameBlock(defined, "leaves", "foliage").byId(7)).toEqual({
      ...defined.byId(7),
      name: "foliage",
    });
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
