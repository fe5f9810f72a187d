import { readFileSync } from "node:fs";
import { BlockCatalog, type BlockProperties, DEFAULT_BLOCKS, type ErrorCode } from "@orthant/core";
import { decode, encode } from "@orthant/core/bytes";
import {
  applyBlockChange,
  blockCatalogChangeCodec,
  blockCatalogCodec,
  blockCatalogHash,
  blockLabel,
  blockRedefinitionCodec,
  diffBlockCatalogs,
  isPlainBlockChange,
  type NewBlockType,
} from "@orthant/core/chunk";
import { codeOf, fromHex, toHex } from "@orthant/testkit";
import { describe, expect, test } from "vitest";

const air: NewBlockType = { id: 0, name: "air", colour: 0, solid: false };
const stone: NewBlockType = { id: 1, name: "stone", colour: 0x8a_8d_91, solid: true };
const door: NewBlockType = {
  id: 2,
  name: "game:door",
  colour: 0x9c_6f_3d,
  solid: true,
  light: 3,
  properties: [
    { name: "facing", values: ["north", "east", "south", "west"] },
    { name: "open", values: ["no", "yes"] },
  ],
  tags: ["wooden", "opens"],
};
const doors = new BlockCatalog([air, stone, door]);

/** The catalog of the format's page: air, and a lever that is up or down. */
const levers = new BlockCatalog([
  air,
  {
    id: 1,
    name: "lever",
    colour: 0x11_22_33,
    solid: false,
    properties: [{ name: "on", values: ["n", "y"] }],
    tags: ["x"],
  },
]);
const airHex = "00 03 616972 02 000000";
const leverHex = "00 05 6c65766572 30 112233 01 00 01 00";
const tablesHex = "01 02 6f6e 02 01 6e 01 79 01 01 78";

describe("a block type with properties", () => {
  test("has one id for each combination of values, the last property fastest", () => {
    const ids = ["north", "east", "south", "west"].flatMap((facing) =>
      ["no", "yes"].map((open) => doors.id("game:door", { facing, open })),
    );
    expect(ids).toEqual([2, 3, 4, 5, 6, 7, 8, 9]);
    for (const id of ids) {
      const found = doors.describe(id);
      expect(found?.type).toBe("game:door");
      expect(doors.id("game:door", found?.properties)).toBe(id);
      expect(doors.byId(id)?.name).toBe("game:door");
    }
    expect(Object.keys(doors.describe(5)?.properties ?? {})).toEqual(["facing", "open"]);
    expect(doors.describe(5)).toEqual({ type: "game:door", properties: { facing: "east", open: "yes" } });
    expect(blockLabel(doors, 5)).toBe("game:door[facing=east,open=yes]");
    for (const id of [0.5, Number.NaN, -0.5, 65_536, "1", undefined]) {
      expect(doors.byId(id as number), String(id)).toBeUndefined();
    }
    expect([doors.endId, doors.describe(10), doors.byId(10), doors.describe(-1)]).toEqual([
      10,
      undefined,
      undefined,
      undefined,
    ]);
  });

  test("takes the first value of a property that is not given", () => {
    expect(doors.id("game:door")).toBe(2);
    expect(doors.id("game:door", {})).toBe(2);
    expect(doors.id("game:door", { open: "yes" })).toBe(3);
    expect(doors.id("stone", {})).toBe(1);
    expect(doors.describe(1)).toEqual({ type: "stone", properties: {} });
  });

  test.each<[name: string, type: string, properties: unknown, message: RegExp]>([
    [
      "a value",
      "game:door",
      { facing: "up" },
      /facing of game:door is "up".*"north", "east", "south", "west"/,
    ],
    [
      "a property",
      "game:door",
      { colour: "red" },
      /a name in the properties of the block game:door is "colour".*facing, open/,
    ],
    ["a property of a type without any", "stone", { facing: "up" }, /block stone is "facing".*it has none/],
    ["a property that every object inherits", "game:door", { toString: "x" }, /"toString"/],
    ["properties that are not an object", "game:door", "east", /properties is "east"/],
    ["a value that is not text", "game:door", { open: 1 }, /open of game:door is 1 \(a number\)/],
  ])("refuses %s that is not there, and says which are", (_name, type, properties, message) => {
    expect(() => doors.id(type, properties as BlockProperties)).toThrow(message);
  });

  test.each<[name: string, door: Partial<NewBlockType>]>([
    [
      "two properties of one name",
      { properties: [...(door.properties ?? []), { name: "open", values: ["a"] }] },
    ],
    ["a property without values", { properties: [{ name: "a", values: [] }] }],
    ["a value twice", { properties: [{ name: "a", values: ["b", "b"] }] }],
    ["a property whose name is a number", { properties: [{ name: "7", values: ["b"] }] }],
    ["a property that changes prototypes", { properties: [{ name: "__proto__", values: ["b"] }] }],
    ["257 values", { properties: [{ name: "a", values: Array.from({ length: 257 }, (_, at) => `${at}`) }] }],
    [
      "17 properties",
      { properties: Array.from({ length: 17 }, (_, index) => ({ name: `a${index}`, values: ["b"] })) },
    ],
    [
      "more combinations than ids",
      {
        properties: ["a", "b", "c"].map((name) => ({
          name,
          values: Array.from({ length: 256 }, (_, at) => `${at}`),
        })),
      },
    ],
    ["light 16", { light: 16 }],
    ["33 tags", { tags: Array.from({ length: 33 }, (_, at) => `${at}`) }],
    ["an empty tag", { tags: [""] }],
    ["the ids of another", { id: 1 }],
    ["ids beyond the last", { id: 65_530 }],
  ])("is refused with %s", (_name, change) => {
    expect(codeOf(() => new BlockCatalog([air, stone, { ...door, ...change }]))).toBe("ORT_ARGUMENT");
  });
});

describe("the encoding of a catalog with properties", () => {
  test("[C19, C20, C21, C22] has the bytes of the worked example on the format's page", () => {
    const page = readFileSync(new URL("../../../../docs/formats/chunk-payload.md", import.meta.url), "utf8");
    const [, , , example = ""] = page.match(/(?<=```hex\n)[^`]*/g) ?? [];
    const hex = example.replaceAll(/ {2,}.*$/gm, "").replaceAll(/\s/g, "");
    expect(hex).toBe(`02 ${tablesHex} 02 ${airHex} ${leverHex}`.replaceAll(" ", ""));
    expect(toHex(encode(blockCatalogCodec, levers))).toBe(hex);
    expect(decode(blockCatalogCodec, fromHex(hex)).types).toEqual(levers.types);
  });

  test("[C15] is that of version 1 as long as names say all there is", () => {
    expect(encode(blockCatalogCodec, DEFAULT_BLOCKS)[0]).toBe(1);
    const [, , ...others] = DEFAULT_BLOCKS.types;
    const changes: Partial<NewBlockType>[] = [
      { light: 1 },
      { transparent: true },
      { retired: true },
      { tags: ["a"] },
    ];
    for (const change of changes) {
      const catalog = new BlockCatalog([air, { ...stone, ...change }, ...others]);
      const bytes = encode(blockCatalogCodec, catalog);
      expect(bytes[0]).toBe(2);
      expect(decode(blockCatalogCodec, bytes).types).toEqual(catalog.types);
      expect(blockCatalogHash(catalog)).not.toBe(blockCatalogHash(DEFAULT_BLOCKS));
      expect(blockCatalogHash(decode(blockCatalogCodec, bytes))).toBe(blockCatalogHash(catalog));
    }
  });

  test.each<[rule: string, name: string, hex: string, code: ErrorCode]>([
    ["C15", "what version 1 can hold", `02 00 00 01 ${airHex}`, "ORT_BLOCKS"],
    ["C16", "no types", "02 00 00 00", "ORT_BLOCKS"],
    ["C16", "retired air", "02 00 00 01 00 03 616972 06 000000", "ORT_BLOCKS"],
    ["C16", "a type at id 65,536", `02 00 00 02 ${airHex} ffff03 01 61 04 000000`, "ORT_BLOCKS"],
    ["C17", "an empty name", `02 00 00 02 ${airHex} 00 00 04 000000`, "ORT_BLOCKS"],
    ["C19", "unknown flags", `02 00 00 02 ${airHex} 00 01 61 44 000000`, "ORT_TAG"],
    ["C19", "light 0 written out", `02 00 00 02 ${airHex} 00 01 61 0c 000000 00`, "ORT_BLOCKS"],
    ["C19", "light 16", `02 00 00 02 ${airHex} 00 01 61 0c 000000 10`, "ORT_BLOCKS"],
    [
      "C20",
      "a property that no type has",
      `02 01 01 61 01 01 62 00 02 ${airHex} 00 01 61 04 000000`,
      "ORT_BLOCKS",
    ],
    [
      "C20",
      "a property twice",
      `02 02 01 61 01 01 62 01 61 01 01 62 00 02 ${airHex} 00 01 61 14 000000 02 00 01`,
      "ORT_BLOCKS",
    ],
    [
      "C20",
      "properties in another order than their use",
      `02 02 01 61 01 01 62 01 63 01 01 62 00 02 ${airHex} 00 01 61 14 000000 02 01 00`,
      "ORT_BLOCKS",
    ],
    ["C20", "a property that no table has", `02 00 00 02 ${airHex} 00 01 61 14 000000 01 00`, "ORT_BLOCKS"],
    ["C20", "an empty list of properties", `02 00 00 02 ${airHex} 00 01 61 14 000000 00`, "ORT_BLOCKS"],
    [
      "C21",
      "a property named 7",
      `02 01 01 37 01 01 62 00 02 ${airHex} 00 01 61 10 000000 01 00`,
      "ORT_BLOCKS",
    ],
    [
      "C21",
      "a property without values",
      `02 01 01 61 00 00 02 ${airHex} 00 01 61 10 000000 01 00`,
      "ORT_BLOCKS",
    ],
    ["C21", "a property of 257 values", "02 01 01 61 8102", "ORT_LIMIT"],
    [
      "C22",
      "tags out of order",
      `02 00 02 01 62 01 61 02 ${airHex} 00 01 61 20 000000 02 00 01`,
      "ORT_BLOCKS",
    ],
  ])("[%s] is refused with %s", (_rule, _name, hex, code) => {
    expect(codeOf(() => decode(blockCatalogCodec, fromHex(hex)))).toBe(code);
  });

  test("is refused when truncated at any byte", () => {
    const whole = encode(blockCatalogCodec, doors);
    for (let length = 0; length < whole.length; length++) {
      expect(codeOf(() => decode(blockCatalogCodec, whole.subarray(0, length)))).toBe("ORT_TRUNCATED");
    }
  });
});

describe("the opacity of a type", () => {
  const named = (name: string, more: Partial<NewBlockType> = {}): NewBlockType => ({
    ...{ id: 1, name, colour: 0, solid: true },
    ...more,
  });
  const opacityOf = (type: NewBlockType): number => new BlockCatalog([air, type]).opacityOf(1);

  test.each([
    ["stone", 15],
    ["glass", 1],
    ["blue ice", 1],
    ["leaves", 2],
    ["oak leaves", 2],
    ["minecraft:oak_leaves", 2],
    ["water", 2],
    ["game:water", 2],
    ["cleaves", 15],
    ["leaves block", 15],
    ["waterfall", 15],
  ])("[C28] is by default that of its name and of what is transparent: %s has %d", (name, opacity) => {
    expect(opacityOf(named(name))).toBe(opacity);
    const isDim = opacity === 2;
    expect(opacityOf(named(name, { transparent: true }))).toBe(isDim ? 2 : 1);
    expect(opacityOf(named(name, { opacity: 7 }))).toBe(7);
  });

  test("[C28] is in the bytes of version 3, and only if it is not the default one", () => {
    const dim = new BlockCatalog([air, { ...stone, opacity: 7 }, { ...named("leaves"), id: 2 }]);
    const bytes = encode(blockCatalogCodec, dim);
    const leaves = "00 06 6c6561766573 01 000000";
    expect(toHex(bytes)).toBe(
      `03 00 00 03 ${airHex} 00 05 73746f6e65 41 8a8d91 07 ${leaves}`.replaceAll(" ", ""),
    );
    expect(decode(blockCatalogCodec, bytes).types).toEqual(dim.types);
    const usual = { ...stone, opacity: 15, tags: ["a"] };
    expect(encode(blockCatalogCodec, new BlockCatalog([air, usual]))[0]).toBe(2);
    expect(encode(blockCatalogCodec, new BlockCatalog([air, { ...usual, light: 3, opacity: 0 }]))[0]).toBe(3);
  });

  test.each<[rule: string, name: string, hex: string, code: ErrorCode]>([
    ["C15", "version 3 without an opacity", `03 00 00 02 ${airHex} 00 01 61 05 000000`, "ORT_BLOCKS"],
    ["C19", "unknown flags", `03 00 00 02 ${airHex} 00 01 61 80 000000`, "ORT_TAG"],
    ["C28", "opacity in version 2", `02 00 00 02 ${airHex} 00 01 61 44 000000 07`, "ORT_TAG"],
    ["C28", "the default opacity", `03 00 00 02 ${airHex} 00 01 61 44 000000 0f`, "ORT_BLOCKS"],
    ["C28", "opacity 16", `03 00 00 02 ${airHex} 00 01 61 44 000000 10`, "ORT_BLOCKS"],
    ["C16", "air with opacity", "03 00 00 01 00 03 616972 42 000000 01", "ORT_BLOCKS"],
  ])("[%s] is refused with %s", (_rule, _name, hex, code) => {
    expect(codeOf(() => decode(blockCatalogCodec, fromHex(hex)))).toBe(code);
  });
});

describe("a change of a catalog", () => {
  const later = new BlockCatalog([
    air,
    { ...stone, name: "rock", retired: true },
    door,
    { id: 10, name: "stone", colour: 1, solid: true },
  ]);

  test("[C23] turns one catalog into a later one, also when a name passes to another type", () => {
    const change = diffBlockCatalogs(doors, later);
    if (change === undefined) throw new Error("the catalogs differ");
    const bytes = encode(blockCatalogChangeCodec, change);
    expect(toHex(bytes)).toBe("01 01 04 726f636b 01 00 00 01 0a 05 73746f6e65 01 000001".replaceAll(" ", ""));
    const applied = applyBlockChange(doors, decode(blockCatalogChangeCodec, bytes));
    expect(applied.types).toEqual(later.types);
    expect(blockCatalogHash(applied)).toBe(blockCatalogHash(later));
    expect(diffBlockCatalogs(later, applied)).toBeUndefined();
    for (let length = 0; length < bytes.length; length++) {
      expect(codeOf(() => decode(blockCatalogChangeCodec, bytes.subarray(0, length)))).toBe("ORT_TRUNCATED");
    }
  });

  test.each<[name: string, change: Parameters<typeof applyBlockChange>[1]]>([
    [
      "a type that is not there",
      { changed: [{ id: 3, name: "x", retired: false }], redefined: [], added: [] },
    ],
    ["air", { changed: [{ id: 0, name: "void", retired: false }], redefined: [], added: [] }],
    [
      "a type to a name that another has",
      { changed: [{ id: 1, name: "game:door", retired: false }], redefined: [], added: [] },
    ],
    ["ids that are taken", { changed: [], redefined: [], added: later.types.slice(1, 2) }],
    ["a name that is taken", { changed: [], redefined: [], added: later.types.slice(3) }],
  ])("[C23] is refused when it changes or adds %s", (_name, change) => {
    expect(codeOf(() => applyBlockChange(doors, change))).toBe("ORT_BLOCKS");
  });

  test.each<[name: string, hex: string]>([
    ["nothing", "00 00 00 00"],
    ["types out of order", "02 02 01 61 00 01 01 62 00 00 00 00"],
  ])("[C23] is refused with %s", (_name, hex) => {
    expect(codeOf(() => decode(blockCatalogChangeCodec, fromHex(hex)))).toBe("ORT_BLOCKS");
  });

  test("[C29] redefines types, and says all of them that can change", () => {
    const next = new BlockCatalog([
      air,
      { ...stone, colour: 0x01_02_03, opacity: 3 },
      { ...door, retired: true, light: 0, tags: ["opens"] },
      { id: 10, name: "pane", colour: 1, solid: true, opacity: 0 },
    ]);
    const change = diffBlockCatalogs(doors, next);
    if (change === undefined) throw new Error("the catalogs differ");
    expect([change.changed.length, change.redefined.length, isPlainBlockChange(change)]).toEqual([
      0,
      2,
      false,
    ]);
    const bytes = encode(blockRedefinitionCodec, change);
    const tables = "00 01 05 6f70656e73";
    const changedStone = "01 05 73746f6e65 41 010203 03";
    const changedDoor = "00 09 67616d653a646f6f72 25 9c6f3d 01 00";
    const pane = "0a 04 70616e65 41 000001 00";
    expect(toHex(bytes)).toBe(
      `00 ${tables} 02 ${changedStone} ${changedDoor} 00 00 01 ${pane}`.replaceAll(" ", ""),
    );
    const applied = applyBlockChange(doors, decode(blockRedefinitionCodec, bytes));
    expect(applied.types).toEqual(next.types);
    expect(applied.id("game:door", { open: "yes" })).toBe(3);
    for (let length = 0; length < bytes.length; length++) {
      expect(codeOf(() => decode(blockRedefinitionCodec, bytes.subarray(0, length)))).toBe("ORT_TRUNCATED");
    }
  });

  test("[C23] [C29] keeps the opacity of a type that is renamed, unless it was the default one for programs of before", () => {
    const leaves: NewBlockType = { id: 1, name: "leaves", colour: 0, solid: false };
    const before = new BlockCatalog([air, leaves]);
    const renamed = { changed: [{ id: 1, name: "foliage", retired: false }], redefined: [], added: [] };
    expect(applyBlockChange(before, renamed).opacityOf(1), "as an earlier program means it").toBe(15);
    const kept = new BlockCatalog([air, { ...leaves, name: "foliage", opacity: 2 }]);
    const change = diffBlockCatalogs(before, kept);
    expect([change?.changed, change?.redefined.map(({ name }) => name)]).toEqual([[], ["foliage"]]);
    const own = new BlockCatalog([air, { ...leaves, opacity: 9 }]);
    expect(applyBlockChange(own, renamed).opacityOf(1)).toBe(9);
  });

  test.each<[name: string, hex: string]>([
    ["nothing redefined", "01 01 01 61 00 00 00 00 00 00 00"],
    ["one type twice", "01 01 01 61 00 00 00 01 01 01 61 00 000000 00 00 00"],
    ["properties", "00 01 01 62 01 01 63 00 01 01 01 61 10 000000 01 00 00 00 00"],
  ])("[C29] is refused with %s", (_name, hex) => {
    expect(codeOf(() => decode(blockRedefinitionCodec, fromHex(hex)))).toBe("ORT_BLOCKS");
  });

  test("[C29] is refused when it redefines air or a type that is not there", () => {
    const redefined = (id: number, name: string) => ({
      changed: [],
      redefined: [
        {
          ...{ id, name, colour: 0, solid: true, transparent: false },
          light: 0,
          opacity: 9,
          tags: [],
          retired: false,
          shape: [],
        },
      ],
      added: [],
    });
    for (const change of [redefined(0, "air"), redefined(7, "x"), redefined(2, "stone")])
      expect(codeOf(() => applyBlockChange(doors, change))).toBe("ORT_BLOCKS");
  });
});
