import { BlockCatalog } from "@orthant/core";
import { type BlockLook, type BlockLooks, looksOf, readResourcePack } from "@orthant/mesh/looks";
import { codeOfRejection, plainPng, zipBytes } from "@orthant/testkit";
import { describe, expect, test } from "vitest";
import { samplePack } from "./sample-pack.ts";

const FACINGS = ["north", "east", "south", "west"];
const FLAGS = ["false", "true"];
const [EAST, WEST, UP, DOWN, SOUTH, NORTH] = [0, 1, 2, 3, 4, 5];

let nextId = 1;
function type(name: string, properties: Readonly<Record<string, readonly string[]>> = {}, solid = true) {
  const id = nextId;
  nextId += Object.values(properties).reduce((count, values) => count * values.length, 1);
  return {
    id,
    name,
    colour: 0x102030,
    solid,
    light: 0,
    properties: Object.entries(properties).map(([property, values]) => ({ name: property, values })),
  };
}

const CATALOG = new BlockCatalog([
  { id: 0, name: "air", colour: 0, solid: false },
  type("minecraft:stone"),
  type("imported:minecraft:dirt"),
  type("minecraft:grass_block", { snowy: FLAGS }),
  type("oak_log", { axis: ["x", "y", "z"] }),
  type("minecraft:oak_stairs", { facing: FACINGS, half: ["bottom", "top"], shape: ["straight"] }),
  type("minecraft:oak_fence", { north: FLAGS, east: FLAGS, south: FLAGS, west: FLAGS }),
  type("minecraft:poppy", {}, false),
  type("minecraft:oak_door", { facing: FACINGS, half: ["lower"], hinge: ["left"], open: ["false"] }),
  type("minecraft:water", {}, false),
  type("minecraft:chest", { facing: FACINGS }),
  type("minecraft:light"),
  type("minecraft:oak_leaves"),
  type("minecraft:unknown"),
]);

async function looksOfPacks(...packs: readonly Uint8Array[]): Promise<BlockLooks> {
  return looksOf(await readResourcePack(packs, CATALOG), CATALOG);
}

const looks = await looksOfPacks(samplePack());

function lookOf(
  name: string,
  properties: Readonly<Record<string, string>> = {},
  of: BlockLooks = looks,
): BlockLook {
  return of.lookOf(CATALOG.id(name, properties));
}

/** The colour of the first pixel of a face's layer. */
function colourOf(
  { layer, tint }: { readonly layer: number; readonly tint: number },
  of: BlockLooks = looks,
): string {
  const at = layer * of.textures.edge ** 2 * 4;
  const parts = [...of.textures.pixels.subarray(at, at + 3)];
  return parts
    .map((part, index) =>
      Math.round((part * ((tint >>> (16 - 8 * index)) & 0xff)) / 255)
        .toString(16)
        .padStart(2, "0"),
    )
    .join("");
}

function faces(look: BlockLook): readonly string[] {
  return look.cube?.map((face) => colourOf(face)) ?? [];
}

function extent({ quads }: BlockLook): readonly (readonly number[])[] {
  return [0, 1, 2].map((axis) => {
    const parts = quads.flatMap(({ corners }) => corners.filter((_, index) => index % 3 === axis));
    return [Math.min(...parts), Math.max(...parts)];
  });
}

describe("resource packs of Minecraft", () => {
  test("draw cubes whose models inherit faces and textures from parents", () => {
    expect(faces(lookOf("minecraft:stone"))).toEqual(Array.from({ length: 6 }, () => "888888"));
    expect(lookOf("minecraft:stone").pass).toBe("opaque");
  });

  test("turn a block by position that has four turned variants, and know blocks that were imported beside others", () => {
    const { cube } = lookOf("imported:minecraft:dirt");
    expect(cube?.map(({ isScattered }) => isScattered)).toEqual([false, false, true, true, false, false]);
  });

  test("tint grass, and paint the overlay of its sides onto them", () => {
    const { cube } = lookOf("minecraft:grass_block", { snowy: "false" });
    expect(cube).toHaveLength(6);
    expect(cube?.[UP] && colourOf(cube[UP])).toBe("91bd59");
    expect(cube?.[NORTH] && colourOf(cube[NORTH])).toBe("775533");
    expect(faces(lookOf("minecraft:grass_block", { snowy: "true" }))[UP]).toBe("888888");
    expect(lookOf("minecraft:oak_leaves").cube?.[EAST]?.tint).toBe(0x77ab2f);
  });

  test("turn logs along their axis, for names without a namespace, too", () => {
    const ends = (axis: string) =>
      faces(lookOf("oak_log", { axis })).flatMap((colour, side) => (colour === "aa8855" ? [side] : []));
    expect([ends("x"), ends("y"), ends("z")]).toEqual([
      [EAST, WEST],
      [UP, DOWN],
      [SOUTH, NORTH],
    ]);
  });

  test.each([
    ["east", [8, 16], [0, 16]],
    ["south", [0, 16], [8, 16]],
    ["west", [0, 8], [0, 16]],
    ["north", [0, 16], [0, 8]],
  ])("turn stairs to the %s without their textures", (facing, x, z) => {
    const look = lookOf("minecraft:oak_stairs", { facing, half: "bottom" });
    const high = look.quads.filter(({ corners }) => corners.some((part, at) => at % 3 === 1 && part > 8));
    expect(extent({ ...look, quads: high })).toEqual([x, [8, 16], z]);
    const bottom = look.quads.find(({ side }) => side === DOWN);
    expect(bottom?.corners.filter((_, at) => at % 3 === 0)).toEqual(
      bottom?.uvs.filter((_, at) => at % 2 === 0),
    );
  });

  test("add up the parts of a fence whose conditions hold", () => {
    expect(lookOf("minecraft:oak_fence").quads).toHaveLength(2);
    expect(extent(lookOf("minecraft:oak_fence", { east: "true", south: "true" }))).toEqual([
      [6, 16],
      [0, 16],
      [6, 16],
    ]);
  });

  test("tilt the leaves of a plant and stretch them to its corners", () => {
    const look = lookOf("minecraft:poppy");
    expect(look).toMatchObject({ pass: "cutout", cube: undefined });
    const [x = [], y = [], z = []] = extent(look);
    expect([...x, ...y, ...z].map((part) => Math.round(part * 10) / 10)).toEqual([
      0.8, 15.2, 0, 16, 0.8, 15.2,
    ]);
  });

  test("turn and mirror textures as the model says", () => {
    const [quad] = lookOf("minecraft:oak_door", { facing: "east" }).quads;
    expect(quad?.side).toBe(WEST);
    // Upper left is the lower left of a mirrored texture: clockwise by a quarter.
    expect(quad?.uvs).toEqual([0, 16, 0, 0, 16, 0, 16, 16]);
    expect(extent(lookOf("minecraft:oak_door", { facing: "north" }))[2]).toEqual([16, 16]);
  });

  test("show the first frame of water, as a liquid", () => {
    expect(looks.textures.edge).toBe(16);
    expect(lookOf("minecraft:water")).toMatchObject({ pass: "blended", isLiquid: true, joins: true });
    expect(faces(lookOf("minecraft:water"))[0]).toBe("3f76e4");
  });

  test("show splinters for what the game draws by other means, and nothing for what is unseen", () => {
    expect(faces(lookOf("minecraft:chest", { facing: "east" }))).toEqual(
      Array.from({ length: 6 }, () => "aa8855"),
    );
    expect(lookOf("minecraft:light").pass).toBeUndefined();
  });

  test("leave blocks that they do not have as coloured cubes", () => {
    expect(lookOf("minecraft:unknown").cube?.[0]).toMatchObject({ layer: 0, tint: 0x102030 });
  });

  test("replace files of earlier packs, and make all textures as large as the largest", async () => {
    const other = zipBytes({ "assets/minecraft/textures/block/stone.png": plainPng(0x123456, 32, 32) });
    const both = await looksOfPacks(samplePack(), other);
    expect(both.textures.edge).toBe(32);
    const [face] = lookOf("minecraft:stone", {}, both).cube ?? [];
    expect(face && colourOf(face, both)).toBe("123456");
  });

  test("load only textures that blocks of the catalog use", () => {
    // White and clear ones, then stone, dirt, grass from above, painted dirt, the log with its end, planks, poppy, door,
    // water and leaves.
    expect(looks.textures.count).toBe(13);
  });
});

describe("damaged and hostile resource packs", () => {
  const models = (name: string): string => `assets/minecraft/models/block/${name}.json`;
  const STATES = "assets/minecraft/blockstates/stone.json";
  const STONE = models("stone");
  const box = { from: [0, 0, 0], to: [16, 16, 16], faces: { up: { texture: "#all" } } };
  let nested: unknown = { lit: "true" };
  for (let depth = 0; depth < 20; depth++) nested = { OR: [nested] };

  test.each<[what: string, files: Readonly<Record<string, unknown>>, code: string]>([
    ["a model that is its own parent", { [STONE]: { parent: "block/stone" } }, "ORT_LIMIT"],
    [
      "a model with too many elements",
      { [STONE]: { elements: Array.from({ length: 2_000 }, () => box) } },
      "ORT_LIMIT",
    ],
    ["a file that is not JSON", { [STONE]: "{ model" }, "ORT_FOREIGN"],
    ["a file that is not UTF-8", { [STONE]: Uint8Array.of(0xff, 0xfe) }, "ORT_UTF8"],
    ["a file that is too large", { [STONE]: " ".repeat(1_100_000) }, "ORT_LIMIT"],
    [
      "too many variants",
      {
        [STATES]: { variants: Object.fromEntries(Array.from({ length: 9_000 }, (_, at) => [`a=${at}`, {}])) },
      },
      "ORT_LIMIT",
    ],
    [
      "conditions inside each other",
      { [STATES]: { multipart: [{ when: nested, apply: { model: "block/stone" } }] } },
      "ORT_LIMIT",
    ],
    ["a picture that is not a PNG", { "assets/minecraft/textures/block/stone.png": "GIF89a" }, "ORT_FOREIGN"],
  ])("%s is refused with its name", async (_what, files, code) => {
    const attempt = readResourcePack([samplePack(files)], CATALOG);
    expect(await codeOfRejection(attempt)).toBe(code);
    await expect(attempt).rejects.toThrow("stone");
  });

  test.each<[what: string, files: Readonly<Record<string, unknown>>]>([
    ["a texture that leads back to itself", { [STONE]: { textures: { all: "#all" }, elements: [box] } }],
    ["a model without anything", { [STONE]: {} }],
    ["a list in place of an object", { [STONE]: [], [STATES]: [] }],
    [
      "elements that are numbers",
      { [STONE]: { elements: [1, { from: "a", to: [] }, { ...box, faces: 3 }] } },
    ],
    [
      "places out of reach",
      { [STONE]: { textures: { all: "block/stone" }, elements: [{ ...box, to: [16, 1e9, 16] }] } },
    ],
    ["a variant without a model", { [STATES]: { variants: { "": { x: 90 } } } }],
    [
      "a picture that is wider than high",
      { "assets/minecraft/textures/block/stone.png": plainPng(0, 32, 16) },
    ],
  ])("%s leaves out what cannot be drawn", async (_what, files) => {
    const drawn = await looksOfPacks(samplePack(files));
    expect(["opaque", undefined]).toContain(drawn.lookOf(CATALOG.id("minecraft:stone")).pass);
  });

  test("an archive that is cut or changed anywhere is read or refused", async () => {
    const whole = zipBytes({
      [STATES]: { variants: { "": { model: "block/stone" } } },
      [STONE]: { textures: { all: "block/stone" }, elements: [box] },
      "assets/minecraft/textures/block/stone.png": plainPng(0x888888, 4, 4),
    });
    for (let at = 0; at < whole.length; at++) {
      const changed = whole.map((byte, index) => (index === at ? byte ^ 0x55 : byte));
      for (const bytes of [changed, whole.subarray(0, at)]) {
        expect(["no error", "ORT_FOREIGN", "ORT_CHECKSUM", "ORT_LIMIT", "ORT_DEFLATE", "ORT_UTF8"]).toContain(
          await codeOfRejection(readResourcePack([bytes], CATALOG)),
        );
      }
    }
  });

  test("arguments of other kinds are refused", async () => {
    expect(await codeOfRejection(readResourcePack("pack.zip" as never, CATALOG))).toBe("ORT_ARGUMENT");
    expect(await codeOfRejection(readResourcePack([], {} as never))).toBe("ORT_ARGUMENT");
    expect(await codeOfRejection(readResourcePack([{} as never], CATALOG))).toBe("ORT_ARGUMENT");
    expect(await codeOfRejection(readResourcePack(new Array(2 ** 32 - 1), CATALOG))).toBe("ORT_ARGUMENT");
  });
});
