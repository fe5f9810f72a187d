import { BlockCatalog, isOrthantError } from "@orthant/core";
import { type BlockLook, checkLooks, looksOf, parseLooks, type TexturePicture } from "@orthant/mesh/looks";
import { describe, expect, test } from "vitest";

/** A picture of one colour. */
function picture(colour: number, edge = 16, opacity = 255): TexturePicture {
  const pixel = [(colour >>> 16) & 0xff, (colour >>> 8) & 0xff, colour & 0xff, opacity];
  const pixels = Uint8Array.from({ length: edge * edge * 4 }, (_, at) => pixel[at % 4] as number);
  return { width: edge, height: edge, pixels };
}

const PICTURES = new Map([
  ["stone", picture(0x888888)],
  ["stone-2", picture(0x808080)],
  ["planks", picture(0xb08050)],
  ["grass", picture(0x66aa44)],
  ["grass-side", picture(0x665533)],
  ["soil", picture(0x775533)],
  ["water", picture(0x4477bb, 16, 128)],
  [
    "leaves",
    {
      ...picture(0x44aa44),
      pixels: picture(0x44aa44).pixels.map((part, at) => (at < 40 && at % 4 === 3 ? 0 : part)),
    },
  ],
]);

const type = (id: number, name: string, properties: Record<string, string[]> = {}) => ({
  id,
  name,
  colour: 0x112233,
  solid: true,
  light: 0,
  properties: Object.entries(properties).map(([property, values]) => ({ name: property, values })),
});
const CATALOG = new BlockCatalog([
  { id: 0, name: "air", colour: 0, solid: false },
  type(1, "stone"),
  type(2, "grass"),
  type(3, "water"),
  type(4, "leaves"),
  type(5, "other"),
  type(10, "stairs", { facing: ["north", "east", "south", "west"], half: ["bottom", "top"] }),
  type(20, "oven", { lit: ["false", "true"], facing: ["north", "east", "south", "west"] }),
  type(30, "log", { axis: ["y", "x", "z"] }),
]);

function lookOf(
  blocks: object,
  name: string,
  properties: Record<string, string> = {},
  more: object = {},
): BlockLook {
  const pack = parseLooks({ ...more, blocks }, PICTURES);
  return looksOf(pack, CATALOG).lookOf(CATALOG.id(name, properties));
}

function layers(look: BlockLook): readonly (number | undefined)[] {
  return look.cube?.map(({ layer }) => layer) ?? look.quads.map(({ texture }) => texture.layer);
}

function messages(looks: string | object, catalog?: BlockCatalog): readonly string[] {
  return checkLooks(looks, PICTURES, catalog).map(({ line, column, path, message }) =>
    [line === undefined ? "" : `${line}:${column}`, path, message].filter((part) => part !== "").join(" "),
  );
}

describe("looks.json", () => {
  test("draws a block with a texture by its name, and others as coloured cubes", () => {
    const look = lookOf({ stone: "stone" }, "stone");
    expect(layers(look)).toEqual([2, 2, 2, 2, 2, 2]);
    expect(look.pass).toBe("opaque");
    expect(look.farColour).toBe(0x888888);
    expect(lookOf({ stone: "stone" }, "other").cube?.[0]).toMatchObject({ layer: 0, tint: 0x112233 });
  });

  test("names textures by face, and by groups of faces", () => {
    const look = lookOf({ grass: { top: "grass", side: "grass-side", bottom: "soil" } }, "grass");
    expect(layers(look)).toEqual([4, 4, 2, 3, 4, 4]);
    expect(look.farColour).toBe(0x66aa44);
    expect(layers(lookOf({ log: { end: "soil", side: "planks", front: "stone" } }, "log"))).toEqual([
      2, 2, 3, 3, 2, 4,
    ]);
  });

  test("has textures with variants that are turned by position, tinted or turned", () => {
    const textures = {
      rock: { picture: ["stone", "stone-2"], scatter: true, tint: "#ff8000" },
      turned: { picture: "soil", turn: 90 },
    };
    const { cube } = lookOf({ stone: { texture: "rock", top: "turned" } }, "stone", {}, { textures });
    expect(cube?.[0]).toEqual({ layer: 2, variants: 2, isScattered: true, turns: 0, tint: 0xff8000 });
    expect(cube?.[2]).toMatchObject({ layer: 4, variants: 1, turns: 1, tint: 0xffffff });
    expect(
      lookOf({ stone: { texture: ["stone", "stone-2"], tint: "#00ff00" } }, "stone").cube?.[3],
    ).toMatchObject({
      variants: 2,
      tint: 0x00ff00,
    });
  });

  test("finds out from pictures what is cut out and what is blended", () => {
    expect(lookOf({ leaves: "leaves" }, "leaves")).toMatchObject({ pass: "cutout", joins: false });
    expect(lookOf({ water: { texture: "water", liquid: true } }, "water")).toMatchObject({
      pass: "blended",
      joins: true,
      isLiquid: true,
    });
    expect(lookOf({ leaves: { texture: "leaves", pass: "opaque", far: "#123456" } }, "leaves")).toMatchObject(
      {
        pass: "opaque",
        farColour: 0x123456,
      },
    );
  });

  test("turns models by properties of the block", () => {
    const look = lookOf({ stairs: { model: "stairs", texture: "planks" } }, "stairs", {
      facing: "east",
      half: "top",
    });
    expect(look.cube).toBeUndefined();
    const low = look.quads.filter(({ corners }) => corners.some((part, at) => at % 3 === 1 && part < 8));
    expect(Math.min(...low.flatMap(({ corners }) => corners.filter((_, at) => at % 3 === 0)))).toBe(8);
    const log = { log: { end: "soil", side: "planks" } };
    // The grain of its sides runs along the axis.
    const faces = lookOf(log, "log", { axis: "x" }).cube?.map(({ layer, turns }) => [layer, turns % 2]);
    expect(faces?.slice(0, 2).map(([layer]) => layer)).toEqual([3, 3]);
    expect(faces?.slice(2)).toEqual([2, 3, 4, 5].map(() => [2, 1]));
  });

  test("changes a look by values of properties, in the order of the file", () => {
    const oven = {
      side: "stone",
      top: "soil",
      bottom: "soil",
      front: "planks",
      when: { "lit=true": { front: "grass", glow: true }, "lit=true,facing=east|west": "water" },
    };
    expect(lookOf({ oven }, "oven").isGlowing).toBe(false);
    const lit = lookOf({ oven }, "oven", { lit: "true" });
    expect(lit.isGlowing).toBe(true);
    expect(layers(lit)[5]).not.toBe(layers(lookOf({ oven }, "oven"))[5]);
    expect(new Set(layers(lookOf({ oven }, "oven", { lit: "true", facing: "west" }))).size).toBe(1);
  });

  test("has models of boxes, which may have textures of their own", () => {
    const models = {
      table: [
        { from: [0, 14, 0], to: [16, 16, 16], top: "grass" },
        { from: [6, 0, 6], to: [10, 14, 10] },
      ],
    };
    const look = lookOf({ other: { model: "table", texture: "planks" } }, "other", {}, { models });
    expect(look.quads).toHaveLength(12);
    expect(look.quads.filter(({ side }) => side === 2).map(({ texture }) => texture.layer)).toEqual([2]);
    const inline = { other: { model: [{ from: [0, 0, 0], to: [16, 16, 16] }], texture: "stone" } };
    expect(lookOf(inline, "other").cube).toHaveLength(6);
    expect(lookOf({ other: { model: "none" } }, "other").pass).toBeUndefined();
  });

  test("makes all textures as large as the largest, pixel by pixel", () => {
    const pictures = new Map([
      ["small", picture(0x010203, 2)],
      ["large", picture(0x040506, 4)],
    ]);
    const { textures } = parseLooks({ blocks: { stone: "small", other: "large" } }, pictures);
    expect([textures.edge, textures.count, textures.pixels.length]).toEqual([4, 4, 4 * 4 * 4 * 4]);
    expect([...textures.pixels.subarray(2 * 64, 2 * 64 + 8)]).toEqual([1, 2, 3, 255, 1, 2, 3, 255]);
  });

  test("keeps its textures when the catalog grows, and shares looks that are the same", () => {
    const pack = parseLooks({ blocks: { stone: "stone", stairs: "stone" } }, PICTURES);
    const looks = looksOf(pack, CATALOG);
    expect(looksOf(pack, CATALOG).textures).toBe(looks.textures);
    expect(looks.lookOf(1)).toBe(looks.lookOf(10));
  });

  test("takes the same as a text", () => {
    const text = '{ "blocks": { "stone": "stone" } }';
    expect(parseLooks(text, PICTURES).textures).toEqual(parseLooks(JSON.parse(text), PICTURES).textures);
  });
});

describe("mistakes in looks.json", () => {
  test("are shown with line, column and a name that is near", () => {
    const text = [
      '{ "blocks": {',
      '  "stone": "ston",',
      '  "grass": { "tops": "grass", "side": "soil" }',
      "} }",
    ].join("\n");
    expect(messages(text)).toEqual([
      '2:12 blocks.stone there is no picture "ston"; did you mean "stone" or "stone-2"?',
      '3:22 blocks.grass.tops there is no field "tops"; did you mean "top"?',
    ]);
    expect(() => parseLooks(text, PICTURES)).toThrow(
      'ORT_FOREIGN: line 2, column 12: blocks.stone: there is no picture "ston"; did you mean "stone" or "stone-2"? (and 1 more; checkLooks lists all)',
    );
  });

  test.each<[what: string, text: string, message: string]>([
    ["a comma that is missing", '{ "blocks": { "a": "b" "c": "d" } }', '1:24 a "," or "}" is missing'],
    ["a comma too many", '{ "blocks": {}, }', '1:17 there may be no "," before the end'],
    [
      "a text without an end",
      '{ "blocks',
      "1:3 the text in quotes does not end on its line, or has a wrong escape",
    ],
    ["an empty file", "", "1:1 a value is missing"],
    ["more than one value", "{} {}", "1:4 nothing may follow the end of the object"],
    ["a name that is there twice", '{ "a": 1, "a": 2 }', '1:11 the name "a" is there twice'],
    ["a list", "[]", "1:1 it is an object in { }"],
    ["no blocks", "{}", '1:1 it has no "blocks"'],
    ["too much nesting", "[".repeat(40), "1:34 more than 32 objects and lists are inside each other"],
  ])("the text has %s", (_what, text, message) => {
    expect(messages(text)[0]).toBe(message);
  });

  test.each<[what: string, looks: object, message: string]>([
    [
      "an unknown model",
      { blocks: { a: { model: "stair", texture: "soil" } } },
      'blocks.a.model there is no model "stair"; did you mean "stairs"?',
    ],
    [
      "a wrong colour",
      { blocks: { a: { texture: "soil", tint: "green" } } },
      'blocks.a.tint it is a colour such as "#6a9f4b"',
    ],
    [
      "a flag that is a text",
      { blocks: { a: { texture: "soil", glow: "yes" } } },
      "blocks.a.glow it is true or false",
    ],
    [
      "an unknown pass",
      { blocks: { a: { texture: "soil", pass: "cut" } } },
      'blocks.a.pass there is no pass "cut"; did you mean "cutout"?',
    ],
    [
      "a wrong condition",
      { blocks: { a: { texture: "soil", when: { lit: "soil" } } } },
      'blocks.a.when.lit the condition "lit" is not of the form "half=upper,open=true"',
    ],
    [
      "a wrong turn",
      { textures: { t: { picture: "soil", turn: 45 } }, blocks: {} },
      "textures.t.turn it is 0, 90, 180 or 270, counterclockwise",
    ],
    ["no picture", { textures: { t: {} }, blocks: {} }, 'textures.t it says no "picture"'],
    [
      "a number as a texture",
      { blocks: { a: 3 } },
      'blocks.a it is the name of a picture, such as "stone" for stone.png',
    ],
    [
      "no texture at all",
      { blocks: { a: {} } },
      'blocks.a it has no texture; add "texture", or "top" and "side"',
    ],
    [
      "a box without corners",
      { blocks: { a: { model: [{}], texture: "soil" } } },
      'blocks.a.model[0] "from" and "to" are [x, y, z] in sixteenths of a block, each from -16 to 32',
    ],
    [
      "a box inside out",
      { blocks: { a: { model: [{ from: [9, 0, 0], to: [8, 1, 1] }], texture: "soil" } } },
      'blocks.a.model[0] "from" is the lowest corner of the box and "to" the highest',
    ],
    [
      "a model that is a number",
      { blocks: { a: { model: 3, texture: "soil" } } },
      "blocks.a.model it is the name of a model, or a list of boxes",
    ],
    [
      "a pass that is a list",
      { blocks: { a: { texture: "soil", pass: ["opaque"] } } },
      "blocks.a.pass it is one of opaque, cutout, blended",
    ],
    [
      "a list with a hole",
      { blocks: { a: new Array(1) } },
      'blocks.a[0] it is the name of a picture, such as "stone" for stone.png',
    ],
    ["no variants", { blocks: { a: [] } }, "blocks.a it is a list of 1 to 16 pictures"],
  ])("the pack has %s", (_what, looks, message) => {
    expect(messages(looks)[0]).toBe(message);
  });

  test("names of blocks, properties and values are compared with a catalog", () => {
    const blocks = {
      stome: "stone",
      oven: { texture: "stone", when: { "light=1": "soil", "lit=yes": "soil" } },
    };
    expect(messages({ blocks }, CATALOG)).toEqual([
      'blocks.stome there is no block "stome"; did you mean "stone"?',
      'blocks.oven there is no property of oven named "light"; there is "lit" or "facing"',
      'blocks.oven there is no value of lit named "yes"; there is "false" or "true"',
    ]);
  });

  test("pictures of a size that no texture has are refused", () => {
    const wide = new Map([["wide", { width: 16, height: 8, pixels: new Uint8Array(16 * 8 * 4) }]]);
    expect(checkLooks({ blocks: { a: "wide" } }, wide)[0]?.message).toBe(
      'the picture "wide" has 16 x 8 pixels; a texture is a square of 1, 2, 4, 8, 16, 32 or 64 pixels on each edge',
    );
  });

  test("more textures than an array can have are refused before it is allocated", () => {
    const pictures = new Map(
      Array.from({ length: 2_100 }, (_, index) => [`t${index}`, picture(index, 1)] as const),
    );
    const blocks = Object.fromEntries([...pictures.keys()].map((name) => [name, name]));
    expect(checkLooks({ blocks }, pictures)[0]?.message).toBe("more than 2048 textures are used");
    try {
      parseLooks({ blocks }, pictures);
    } catch (error) {
      expect(isOrthantError(error, "ORT_LIMIT")).toBe(true);
    }
  });

  test("lists of any length, and lists that are in others many times, are refused before they are read", () => {
    let doubled: unknown[] = [];
    for (let depth = 0; depth < 28; depth++) doubled = [doubled, doubled];
    for (const list of [doubled, new Array(2 ** 32 - 1)])
      expect(messages({ blocks: { a: list } })).toEqual(["more than 262144 values"]);
    const itself: unknown[] = [];
    itself.push(itself);
    expect(messages({ blocks: itself })).toEqual(["more than 32 objects and lists are inside each other"]);
  });

  test.each<[what: string, message: string, call: () => unknown]>([
    ["looks that are a list", "looks is []", () => parseLooks([], PICTURES)],
    ["pictures that are an object", "pictures is an object", () => parseLooks({ blocks: {} }, {} as never)],
    [
      "a picture without pixels",
      'pictures.get("a").pixels is undefined',
      () => checkLooks({ blocks: {} }, new Map([["a", { width: 1, height: 1 } as never]])),
    ],
    [
      "a picture without a width",
      'pictures.get("a").width is NaN',
      () => checkLooks({ blocks: {} }, new Map([["a", { ...picture(0), width: Number.NaN }]])),
    ],
    [
      "a name of a picture that is a number",
      "the name of a picture in pictures is 7",
      () => parseLooks({ blocks: {} }, new Map([[7 as never, picture(0)]])),
    ],
    ["a catalog that is a list", "catalog is []", () => checkLooks({ blocks: {} }, PICTURES, [] as never)],
    ["a pack that is nothing", "pack is undefined", () => looksOf(undefined as never, CATALOG)],
    ["a pack without looks", "pack.lookOf is undefined", () => looksOf({} as never, CATALOG)],
    [
      "a pack with too few pixels",
      "pack.textures.pixels is an object; they are a Uint8Array of 8 bytes",
      () =>
        looksOf(
          { textures: { edge: 1, count: 2, pixels: new Uint8Array(4) }, lookOf: () => undefined },
          CATALOG,
        ),
    ],
  ])("%s are refused as an argument: %s", (_what, message, call) => {
    expect(call).toThrow(`ORT_ARGUMENT: ${message}`);
  });
});
