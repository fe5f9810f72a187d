import { readFileSync } from "node:fs";
import { BlockCatalog, type BlockDefinition, DEFAULT_BLOCKS, type ErrorCode } from "@orthant/core";
import { decode, encode } from "@orthant/core/bytes";
import {
  applyBlockChange,
  blockCatalogCodec,
  blockCatalogHash,
  blockRedefinitionCodec,
  changeBlock,
  defineBlocks,
  definitionOf,
  diffBlockCatalogs,
  isPlainBlockChange,
  type NewBlockType,
  plainBlockCatalog,
  renameBlock,
  unshapedBlockCatalog,
} from "@orthant/core/chunk";
import { codeOf, fromHex, toHex } from "@orthant/testkit";
import { describe, expect, test } from "vitest";

const air: NewBlockType = { id: 0, name: "air", colour: 0, solid: false };
const LOWER = [
  [0, 0, 0, 0],
  [1, 0.5, 1, 1],
] as const;
const UPPER = [
  [0, 0.5, 0, 0],
  [1, 1, 1, 1],
] as const;
const PANEL = [
  [0, 0, 0, 0],
  [0.1875, 1, 1, 1],
] as const;
/** Air, a slab with two halves and a door that is as high as its voxel, in the order of their ids. */
const house = new BlockCatalog([
  air,
  {
    ...{ id: 1, name: "slab", colour: 0x11_22_33, solid: true },
    properties: [{ name: "half", values: ["bottom", "top", "both"] }],
    shape: [
      { when: { half: "bottom" }, boxes: [LOWER] },
      { when: { half: "top" }, boxes: [UPPER] },
    ],
  },
  {
    ...{ id: 4, name: "door", colour: 0x44_55_66, solid: true },
    properties: [
      { name: "facing", values: ["x", "z"] },
      { name: "open", values: ["no", "yes"] },
    ],
    shape: [
      { when: { open: "yes" }, boxes: [] },
      { when: { facing: "x", open: "no" }, boxes: [PANEL] },
      {
        boxes: [
          [
            [0, 0, 0],
            [1, 1, 0.1875],
          ],
        ],
      },
    ],
  },
]);

describe("the shape of a type", () => {
  test("is that of the first part for a block's values, and the whole voxel without one", () => {
    expect([1, 2, 3].map((id) => house.boxesOf(id))).toEqual([[LOWER], [UPPER], undefined]);
    const acrossZ = [
      [0, 0, 0, 0],
      [1, 1, 0.1875, 1],
    ];
    expect([4, 5, 6, 7].map((id) => house.boxesOf(id))).toEqual([[PANEL], [], [acrossZ], []]);
    expect([0, 8, -1, 0.5].map((id) => house.boxesOf(id))).toEqual(new Array(4));
    expect([house.hasShapes, DEFAULT_BLOCKS.hasShapes]).toEqual([true, false]);
  });

  test("decides what is solid: a block without boxes stops nothing", () => {
    expect([1, 2, 3, 4, 5, 6, 7, 8].map((id) => house.isSolid(id))).toEqual([
      ...[true, true, true, true, false, true, false, true],
    ]);
    const carpet = defineBlocks(DEFAULT_BLOCKS, {
      carpet: {
        solid: false,
        shape: [
          [
            [0, 0],
            [1, 0.0625],
          ],
        ],
      },
    });
    expect([carpet.isSolid(16), carpet.boxesOf(16)?.length]).toEqual([false, 1]);
  });

  test("is a list of boxes, or of parts, and one box that fills the voxel is as none", () => {
    const shapes: Record<string, BlockDefinition["shape"] & object> = {
      flat: [LOWER],
      flatInTwo: [
        [
          [0, 0],
          [1, 0.5],
        ],
      ],
      part: [{ boxes: [LOWER] }],
      parts: [{ when: {}, boxes: [LOWER] }],
      whole: [
        [
          [0, 0, 0],
          [1, 1, 1],
        ],
      ],
      usual: [],
    };
    const definitions = Object.fromEntries(Object.entries(shapes).map(([name, shape]) => [name, { shape }]));
    const catalog = defineBlocks(DEFAULT_BLOCKS, definitions);
    const found = Object.keys(shapes).map((name) => catalog.boxesOf(catalog.id(name)));
    expect(found).toEqual([[LOWER], [LOWER], [LOWER], [LOWER], undefined, undefined]);
    expect(catalog.byName("flat")?.shape).toEqual([{ when: {}, boxes: [LOWER] }]);
    expect(defineBlocks(catalog, definitions)).toBe(catalog);
  });

  test.each<[name: string, shape: unknown, message: RegExp]>([
    ["a word", "half", /slab\.shape is "half".*list of boxes/],
    [
      "a number between steps",
      [
        [
          [0, 0],
          [1, 0.3],
        ],
      ],
      /slab\.shape\[0\]\[1\]\[1\] is 0\.3.*multiple of 1\/16/,
    ],
    [
      "a box beyond the voxel",
      [
        [
          [0, 0],
          [1, 1.5],
        ],
      ],
      /is 1\.5.*from 0 to 1/,
    ],
    [
      "not a number",
      [
        [
          [0, 0],
          [1, Number.NaN],
        ],
      ],
      /is NaN/,
    ],
    ["corners of one number", [[[0], [1]]], /slab\.shape\[0\]\[0\].*2 to 4 numbers/],
    [
      "corners of five numbers",
      [
        [
          [0, 0, 0, 0, 0],
          [1, 1],
        ],
      ],
      /2 to 4 numbers/,
    ],
    [
      "an empty box",
      [
        [
          [0, 0.5],
          [1, 0.5],
        ],
      ],
      /second corner is above the first/,
    ],
    ["one corner", [[[0, 0]]], /two corners/],
    ["nine boxes", Array.from({ length: 9 }, () => LOWER), /9 boxes, the limit is 8/],
    ["65 parts", Array.from({ length: 65 }, () => ({ boxes: [] })), /65 parts, the limit is 64/],
    ["a part without boxes", [{ when: {} }], /slab\.shape\[0\]\.boxes is undefined/],
    ["a part with another field", [{ if: {}, boxes: [] }], /shape\[0\]\.if .*there are when, boxes/],
    ["a property that is not there", [{ when: { open: "yes" }, boxes: [] }], /"open", not a property/],
    ["a value that is not there", [{ when: { half: "left" }, boxes: [] }], /half="left".*bottom, top/],
    ["a value that is not text", [{ when: { half: 1 }, boxes: [] }], /when\.half is 1/],
  ])("is refused as %s", (_name, shape, message) => {
    const define = () =>
      defineBlocks(DEFAULT_BLOCKS, {
        slab: { properties: { half: ["bottom", "top"] }, shape } as BlockDefinition,
      });
    expect(define).toThrow(message);
    expect(codeOf(define)).toBe("ORT_ARGUMENT");
  });

  test("can change, and stays in a definition and in a type that is renamed", () => {
    const slab = house.byName("slab");
    if (slab === undefined) throw new Error("there is a slab");
    expect(defineBlocks(house, { slab: definitionOf(slab) })).toBe(house);
    const other = { slab: { shape: [LOWER] } };
    expect(() => defineBlocks(house, other)).toThrow(/its shape is .* in this world and/);
    const changed = changeBlock(house, "slab", { shape: [LOWER] });
    expect([1, 2, 3].map((id) => changed.boxesOf(id))).toEqual([[LOWER], [LOWER], [LOWER]]);
    expect(changeBlock(changed, "slab", { shape: [] }).boxesOf(1)).toBeUndefined();
    expect(defineBlocks(house, other, { change: true }).types).toEqual(changed.types);
    expect(renameBlock(house, "slab", "plate").boxesOf(2)).toEqual([UPPER]);
    expect(() => changeBlock(house, "slab", { shape: [{ when: { open: "no" }, boxes: [] }] })).toThrow(
      /"open"/,
    );
    expect(() => changeBlock(house, "air", { shape: [LOWER] })).toThrow(/air stays/);
    expect(codeOf(() => new BlockCatalog([{ ...air, shape: [LOWER] }]))).toBe("ORT_ARGUMENT");
  });
});

const airHex = "00 03 616972 02 000000";
const slabHex = "00 04 736c6162 81 112233";
/** One part without values, which has one box: the lower half. */
const lowerHex = "01 00 01 0f 07 0f 0f";

describe("the encoding of a catalog with shapes", () => {
  test("[C15] [C30] [C31] has the bytes of the worked example on the format's page", () => {
    const page = readFileSync(new URL("../../../../docs/formats/chunk-payload.md", import.meta.url), "utf8");
    const [, , , , example = ""] = page.match(/(?<=```hex\n)[^`]*/g) ?? [];
    const hex = example.replaceAll(/ {2,}.*$/gm, "").replaceAll(/\s/g, "");
    const catalog = new BlockCatalog([
      air,
      {
        ...{ id: 1, name: "slab", colour: 0x11_22_33, solid: true },
        properties: [{ name: "half", values: ["b", "t"] }],
        shape: [{ when: { half: "b" }, boxes: [LOWER] }, { boxes: [UPPER] }],
      },
      { ...{ id: 3, name: "plate", colour: 0x11_22_33, solid: true }, opacity: 0, shape: [LOWER] },
    ]);
    expect(toHex(encode(blockCatalogCodec, catalog))).toBe(hex);
    expect(decode(blockCatalogCodec, fromHex(hex)).types).toEqual(catalog.types);
  });

  test("[C15] keeps the versions and bytes of catalogs without shapes", () => {
    const versionOf = (...types: NewBlockType[]): number | undefined =>
      encode(blockCatalogCodec, new BlockCatalog([air, ...types]))[0];
    const stone = { id: 1, name: "stone", colour: 0, solid: true };
    expect(
      [stone, { ...stone, tags: ["a"] }, { ...stone, opacity: 3 }].map((type) => versionOf(type)),
    ).toEqual([1, 2, 3]);
    expect(versionOf({ ...stone, shape: [LOWER] })).toBe(4);
    expect(versionOf({ ...stone, shape: [] })).toBe(1);
  });

  test("is refused when truncated at any byte, and decodes to what was encoded", () => {
    const whole = encode(blockCatalogCodec, house);
    expect(decode(blockCatalogCodec, whole).types).toEqual(house.types);
    expect(blockCatalogHash(decode(blockCatalogCodec, whole))).toBe(blockCatalogHash(house));
    for (let length = 0; length < whole.length; length++)
      expect(codeOf(() => decode(blockCatalogCodec, whole.subarray(0, length)))).toBe("ORT_TRUNCATED");
  });

  test("[C31] writes a shape that several types have once, and readers share it", () => {
    const named = (index: number): NewBlockType => ({
      ...{ id: index + 1, name: `${index}`.padStart(4, "s"), colour: 0x11_22_33, solid: true },
      shape: Array.from({ length: 60 }, () => ({ boxes: [LOWER, UPPER] })),
    });
    const many = new BlockCatalog([air, ...Array.from({ length: 5_000 }, (_, index) => named(index))]);
    const bytes = encode(blockCatalogCodec, many);
    expect(bytes.length).toBeLessThan(5_000 * 12 + 1_000);
    const read = decode(blockCatalogCodec, bytes);
    expect(read.types[5_000]?.shape).toBe(read.types[1]?.shape);
    expect(read.boxesOf(4_000)).toEqual([LOWER, UPPER]);
  });

  test.each<[rule: string, name: string, hex: string, code: ErrorCode]>([
    ["C15", "version 4 without a shape", `04 00 00 02 ${airHex} 00 01 61 45 000000 03`, "ORT_BLOCKS"],
    ["C15", "version 5", `05 00 00 01 ${airHex}`, "ORT_VERSION"],
    ["C19", "a shape in version 3", `03 00 00 02 ${airHex} ${slabHex} 00 ${lowerHex}`, "ORT_TAG"],
    ["C16", "air with a shape", `04 00 00 01 00 03 616972 82 000000 00 ${lowerHex}`, "ORT_BLOCKS"],
    [
      "C30",
      "a box that ends where it begins",
      `04 00 00 02 ${airHex} ${slabHex} 00 01 00 01 10 07 0f 0f`,
      "ORT_BLOCKS",
    ],
    [
      "C30",
      "nine boxes",
      `04 00 00 02 ${airHex} ${slabHex} 00 01 00 09 ${"0f070f0f".repeat(9)}`,
      "ORT_LIMIT",
    ],
    ["C30", "65 parts", `04 00 00 02 ${airHex} ${slabHex} 00 41 ${"0000".repeat(65)}`, "ORT_LIMIT"],
    ["C31", "no parts", `04 00 00 02 ${airHex} ${slabHex} 00 00`, "ORT_BLOCKS"],
    [
      "C31",
      "a shape that does not come next",
      `04 00 00 02 ${airHex} ${slabHex} 01 ${lowerHex}`,
      "ORT_BLOCKS",
    ],
    [
      "C31",
      "one shape twice",
      `04 00 00 03 ${airHex} ${slabHex} 00 ${lowerHex} 00 01 61 81 000000 01 ${lowerHex}`,
      "ORT_BLOCKS",
    ],
    [
      "C32",
      "a property that the type does not have",
      `04 00 00 02 ${airHex} ${slabHex} 00 01 01 01 61 01 62 00`,
      "ORT_BLOCKS",
    ],
    [
      "C32",
      "a value that its property does not have",
      `04 01 01 61 01 01 62 00 02 ${airHex} 00 04 736c6162 91 112233 01 00 00 01 01 01 61 01 63 00`,
      "ORT_BLOCKS",
    ],
    [
      "C32",
      "properties out of order",
      `04 02 01 61 01 01 63 01 62 01 01 63 00 02 ${airHex} 00 04 736c6162 91 112233 02 00 01 00 01 02 01 62 01 63 01 61 01 63 00`,
      "ORT_BLOCKS",
    ],
  ])("[%s] is refused with %s", (_rule, _name, hex, code) => {
    expect(codeOf(() => decode(blockCatalogCodec, fromHex(hex)))).toBe(code);
  });

  test("[C33] is in a redefinition, and a type that is added with a shape needs one", () => {
    const plain = new BlockCatalog(house.types.map((type) => ({ ...type, shape: [] })));
    const change = diffBlockCatalogs(plain, house);
    if (change === undefined) throw new Error("the catalogs differ");
    expect([change.redefined.length, isPlainBlockChange(change)]).toEqual([2, false]);
    const bytes = encode(blockRedefinitionCodec, change);
    expect(applyBlockChange(plain, decode(blockRedefinitionCodec, bytes)).types).toEqual(house.types);
    for (let length = 0; length < bytes.length; length++)
      expect(codeOf(() => decode(blockRedefinitionCodec, bytes.subarray(0, length)))).toBe("ORT_TRUNCATED");
    const grown = defineBlocks(house, { plate: { shape: [LOWER] }, tile: {} });
    const added = diffBlockCatalogs(house, grown);
    if (added === undefined) throw new Error("the catalogs differ");
    expect(isPlainBlockChange(added)).toBe(false);
    const read = decode(blockRedefinitionCodec, encode(blockRedefinitionCodec, added));
    expect(applyBlockChange(house, read).types).toEqual(grown.types);
    expect(
      diffBlockCatalogs(house, decode(blockCatalogCodec, encode(blockCatalogCodec, house))),
    ).toBeUndefined();
    const wrong = {
      ...change,
      redefined: change.redefined.slice(0, 1).map((type) => ({ ...type, id: 4, name: "door" })),
    };
    expect(
      codeOf(() => applyBlockChange(plain, wrong)),
      "a door with the shape of a slab",
    ).toBe("ORT_BLOCKS");
  });

  test("is left out for programs of before, which see whole blocks", () => {
    const shaped = changeBlock(house, "slab", { opacity: 3 });
    const unshaped = unshapedBlockCatalog(shaped);
    expect([unshaped.hasShapes, unshaped.opacityOf(1), unshapedBlockCatalog(shaped) === unshaped]).toEqual([
      ...[false, 3, true],
    ]);
    const plain = plainBlockCatalog(shaped);
    expect([plain.hasShapes, plain.opacityOf(1), plainBlockCatalog(shaped) === plain]).toEqual([
      false,
      15,
      true,
    ]);
    expect([unshapedBlockCatalog(DEFAULT_BLOCKS), plainBlockCatalog(DEFAULT_BLOCKS)]).toEqual([
      ...[DEFAULT_BLOCKS, DEFAULT_BLOCKS],
    ]);
    expect(encode(blockCatalogCodec, plain)[0]).toBe(2);
  });
});
