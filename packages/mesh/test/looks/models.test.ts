import type { BlockProperties } from "@orthant/core";
import { BlockCatalog, DEFAULT_BLOCKS } from "@orthant/core";
import {
  type BlockLook,
  type FaceTexture,
  looksOf,
  MODELS,
  type ModelName,
  type ModelQuad,
  plainLooks,
} from "@orthant/mesh/looks";
import { describe, expect, test } from "vitest";

const face = (layer: number): FaceTexture => ({
  layer,
  variants: 1,
  isScattered: false,
  turns: 0,
  tint: 0xffffff,
});
const FACES = [0, 1, 2, 3, 4, 5].map(face);
const [EAST, WEST, UP, DOWN, SOUTH, NORTH] = [0, 1, 2, 3, 4, 5];

function build(name: ModelName, properties: BlockProperties = {}): readonly ModelQuad[] {
  return MODELS[name](FACES, properties);
}

/** The lowest and highest corner of quads, by axis. */
function extent(quads: readonly ModelQuad[]): readonly (readonly number[])[] {
  return [0, 1, 2].map((axis) => {
    const parts = quads.flatMap(({ corners }) => corners.filter((_, index) => index % 3 === axis));
    return [Math.min(...parts), Math.max(...parts)];
  });
}

/** The direction that a quad looks to, from the order of its corners, and twice its area as its length. */
function normal({ corners }: ModelQuad): readonly number[] {
  const at = (corner: number): readonly number[] => corners.slice(corner * 3, corner * 3 + 3);
  const [a, b, c] = [at(0), at(1), at(2)] as [number[], number[], number[]];
  const one = b.map((part, axis) => part - (a[axis] as number));
  const two = c.map((part, axis) => part - (a[axis] as number));
  return [0, 1, 2].map((axis) => {
    const [first, second] = [(axis + 1) % 3, (axis + 2) % 3];
    return (
      (one[first] as number) * (two[second] as number) - (one[second] as number) * (two[first] as number)
    );
  });
}

/** Six times the volume that quads enclose; 0 or less unless they look outwards. */
function volume(quads: readonly ModelQuad[]): number {
  return quads.reduce((sum, quad) => {
    const direction = normal(quad);
    // Both triangles of a quad have the same area, and a third of a pyramid's base times its height.
    const height = direction.reduce((dot, part, axis) => dot + part * (quad.corners[axis] as number), 0);
    return sum + height / 3;
  }, 0);
}

describe("the models of look packs", () => {
  test.each<[model: ModelName, properties: BlockProperties, volume: number]>([
    ["cube", {}, 4096],
    ["slab", {}, 2048],
    ["slab", { type: "top" }, 2048],
    ["slab", { type: "double" }, 4096],
    ["stairs", {}, 3072],
    ["stairs", { half: "top", facing: "east" }, 3072],
    ["stairs", { shape: "inner_left", facing: "south" }, 3584],
    ["stairs", { shape: "inner_right" }, 3584],
    ["stairs", { shape: "outer_left", half: "top" }, 2560],
    ["stairs", { shape: "outer_right", facing: "west" }, 2560],
    ["post", { axis: "x" }, 256],
    ["carpet", {}, 256],
    ["carpet", { layers: "3" }, 1536],
    ["torch", {}, 40],
    ["torch", { facing: "east" }, 40],
    ["door", { facing: "east", open: "true", hinge: "right" }, 768],
    ["ladder", { facing: "west" }, 0],
    ["cross", {}, 0],
    ["pane", { north: "true", south: "true", east: "false", west: "false" }, 512],
    ["pane", {}, 512],
  ])("%s with %o is closed and looks outwards", (model, properties, expected) => {
    expect(volume(build(model, properties))).toBeCloseTo(expected, 6);
  });

  test("a cube shows each texture upright, its left edge to the left as seen from outside", () => {
    const south = build("cube").find(({ texture }) => texture.layer === SOUTH);
    expect(south?.corners).toEqual([0, 0, 16, 16, 0, 16, 16, 16, 16, 0, 16, 16]);
    expect(south?.uvs).toEqual([0, 16, 16, 16, 16, 0, 0, 0]);
    const up = build("cube").find(({ texture }) => texture.layer === UP);
    expect(up?.corners.slice(9)).toEqual([0, 16, 0]);
    expect(up?.uvs.slice(6)).toEqual([0, 0]);
  });

  test("faces on the sides of the voxel say which, so that a neighbour may cover them", () => {
    const sides = build("slab").map(({ side, texture }) => [texture.layer, side]);
    expect(sides).toEqual([
      [EAST, EAST],
      [WEST, WEST],
      [UP, undefined],
      [DOWN, DOWN],
      [SOUTH, SOUTH],
      [NORTH, NORTH],
    ]);
    expect(build("cross").map(({ side }) => side)).toEqual([undefined, undefined, undefined, undefined]);
  });

  test.each([
    ["north", NORTH, [0, 16], [0, 8]],
    ["east", EAST, [8, 16], [0, 16]],
    ["south", SOUTH, [0, 16], [8, 16]],
    ["west", WEST, [0, 8], [0, 16]],
  ])("stairs that face %s rise to there", (facing, side, x, z) => {
    const high = build("stairs", { facing }).filter(({ corners }) =>
      corners.some((part, at) => at % 3 === 1 && part > 8),
    );
    expect(extent(high)).toEqual([x, [8, 16], z]);
    expect(high.map((quad) => quad.side)).toContain(side);
  });

  test("stairs upside down hang from the top", () => {
    const low = build("stairs", { half: "top" }).filter(({ corners }) =>
      corners.some((part, at) => at % 3 === 1 && part < 8),
    );
    expect(extent(low)).toEqual([
      [0, 16],
      [0, 8],
      [0, 8],
    ]);
  });

  test("textures of stairs lie as on a whole cube, however they are turned", () => {
    for (const facing of ["north", "east", "south", "west"]) {
      for (const { corners, uvs, side } of build("stairs", { facing })) {
        if (side !== SOUTH) continue;
        const flat = corners.flatMap((part, index) =>
          index % 3 === 2 ? [] : [index % 3 === 1 ? 16 - part : part],
        );
        expect(uvs).toEqual(flat);
      }
    }
  });

  test("a cube shows its front where it faces, and its ends along its axis", () => {
    const sideOf = (properties: BlockProperties, layer: number) =>
      build("cube", properties).find(({ texture }) => texture.layer === layer)?.side;
    expect(sideOf({ facing: "west" }, NORTH)).toBe(WEST);
    expect(sideOf({ facing: "up" }, NORTH)).toBe(UP);
    expect(sideOf({ facing: "down" }, NORTH)).toBe(DOWN);
    expect(sideOf({ axis: "x" }, UP)).toBe(EAST);
    expect(sideOf({ axis: "z" }, UP)).toBe(NORTH);
    expect(sideOf({ axis: "y" }, UP)).toBe(UP);
  });

  test("a fence reaches to where its properties say, and everywhere without them", () => {
    expect(extent(build("fence", { north: "true", east: "false" }))).toEqual([
      [6, 10],
      [0, 16],
      [0, 10],
    ]);
    expect(extent(build("fence", { west: "none", east: "low" }))).toEqual([
      [6, 16],
      [0, 16],
      [6, 10],
    ]);
    expect(extent(build("fence"))).toEqual([
      [0, 16],
      [0, 16],
      [0, 16],
    ]);
  });

  test("a pane without connections stands across the way that it faces", () => {
    expect(extent(build("pane", { facing: "north" }))).toEqual([
      [0, 16],
      [0, 16],
      [7, 9],
    ]);
    expect(extent(build("pane", { axis: "z" }))).toEqual([
      [7, 9],
      [0, 16],
      [0, 16],
    ]);
  });

  test("doors, ladders and torches keep to the wall behind them", () => {
    expect(extent(build("door", { facing: "north" }))[2]).toEqual([13, 16]);
    expect(extent(build("door", { facing: "north", open: "true", hinge: "left" }))[0]).toEqual([0, 3]);
    expect(extent(build("door", { facing: "north", open: "true", hinge: "right" }))[0]).toEqual([13, 16]);
    expect(extent(build("ladder", { facing: "east" }))[0]).toEqual([1, 1]);
    const [x = [], y = [], z = []] = extent(build("torch", { facing: "north" }));
    expect(x).toEqual([7, 9]);
    expect(y[0]).toBeGreaterThan(2);
    expect(z[0]).toBeLessThan(13);
    expect(extent(build("torch", { facing: "up" }))).toEqual([
      [7, 9],
      [0, 10],
      [7, 9],
    ]);
  });

  test("a plant has both sides of two leaves with whole textures", () => {
    const quads = build("cross");
    expect(quads).toHaveLength(4);
    expect(quads.map(({ uvs }) => uvs)).toEqual(quads.map(() => [0, 16, 16, 16, 16, 0, 0, 0]));
    const [x = []] = extent(quads);
    expect(x[0]).toBeCloseTo(0.8, 10);
    expect(x[1]).toBeCloseTo(15.2, 10);
  });
});

describe("the looks of a catalog without a pack", () => {
  const looks = plainLooks(DEFAULT_BLOCKS);
  const lookOf = (name: string): BlockLook => looks.lookOf(DEFAULT_BLOCKS.id(name));

  test("are cubes of the catalog's colours", () => {
    expect(lookOf("stone").pass).toBe("opaque");
    expect(lookOf("stone").cube?.map(({ tint }) => tint)).toEqual(Array.from({ length: 6 }, () => 0x8a8d91));
    expect(lookOf("stone").farColour).toBe(0x8a8d91);
    expect(lookOf("water").pass).toBe("blended");
    expect(lookOf("lamp").isGlowing).toBe(true);
  });

  test("do not draw air, and draw blocks that the catalog does not have", () => {
    expect(lookOf("air").pass).toBeUndefined();
    expect(looks.lookOf(60_000).pass).toBe("opaque");
    expect(looks.lookOf(60_000).cube?.[0]?.tint).toBe(DEFAULT_BLOCKS.colourOf(60_000));
  });

  test("share an object where they are the same, and have a white and a half transparent layer", () => {
    const types = ["a", "b"].map((name, index) => ({ id: index + 1, name, colour: 0x123456, solid: true }));
    const catalog = new BlockCatalog([{ id: 0, name: "air", colour: 0, solid: false }, ...types]);
    const pair = looksOf({ textures: looks.textures, lookOf: () => undefined }, catalog);
    expect(pair.lookOf(1)).toBe(pair.lookOf(2));
    expect(looks.textures).toEqual({
      edge: 1,
      count: 2,
      pixels: Uint8Array.of(255, 255, 255, 255, 255, 255, 255, 150),
    });
  });
});
