import { AIR, BlockCatalog, DEFAULT_BLOCKS } from "@orthant/core";
import { hash64 } from "@orthant/core/bytes";
import { defaultLooks, looksOf } from "@orthant/mesh/looks";
import { describe, expect, test } from "vitest";

/** Blocks whose sides show one material from edge to edge. */
const MATERIALS = ["stone", "soil", "sand", "water", "log", "snow", "planks", "clay", "ice", "gravel"];
/** Those of them that have no lines from edge to edge. */
const ROUGH = ["stone", "soil", "sand", "snow", "clay"];

/** Brightness of pixels, from 0 to 255. */
function brightness(pixels: Uint8Array): readonly number[] {
  return Array.from({ length: pixels.length / 4 }, (_, pixel) => {
    const [red = 0, green = 0, blue = 0] = pixels.subarray(pixel * 4, pixel * 4 + 3);
    return 0.3 * red + 0.59 * green + 0.11 * blue;
  });
}

/** The pixels of the first variant of a block's south side. */
function sideOf(name: string): Uint8Array {
  const catalog = new BlockCatalog([
    { id: AIR, name: "air", colour: 0, solid: false },
    { id: 1, name, colour: 0, solid: true },
  ]);
  const { textures, lookOf } = looksOf(defaultLooks(), catalog);
  const layer = lookOf(1).cube?.[4]?.layer ?? 0;
  const layerBytes = textures.edge * textures.edge * 4;
  return textures.pixels.subarray(layer * layerBytes, (layer + 1) * layerBytes);
}

describe("the look pack of Orthant", () => {
  test("draws every block of a world without its own catalog", () => {
    const looks = looksOf(defaultLooks(), DEFAULT_BLOCKS);
    for (const { id, name } of DEFAULT_BLOCKS.types) {
      if (id === AIR) continue;
      const layers = looks.lookOf(id).cube?.map(({ layer }) => layer) ?? [];
      expect(layers.length, name).toBe(6);
      expect(Math.min(...layers), name).toBeGreaterThan(1);
    }
    const passes = ["water", "leaves", "glass", "stone"].map(
      (name) => looks.lookOf(DEFAULT_BLOCKS.id(name)).pass,
    );
    expect(passes).toEqual(["blended", "cutout", "cutout", "opaque"]);
  });

  test("is the same pack for all callers, of whom none can change it", () => {
    const pack = defaultLooks();
    expect(defaultLooks()).toBe(pack);
    expect(() => Object.assign(pack, { lookOf: undefined })).toThrow(TypeError);
    expect(() => Object.assign(pack.textures, { edge: 0 })).toThrow(TypeError);
  });

  test("paints the same pixels everywhere", () => {
    const { textures } = defaultLooks();
    expect([textures.edge, textures.count]).toEqual([16, 53]);
    expect(hash64(textures.pixels).toString(16)).toBe("75fc21aef3a6e677");
  });

  test("is quiet: the brightness of a material differs by less than a tenth of itself", () => {
    for (const name of MATERIALS) {
      const all = brightness(sideOf(name));
      const mean = all.reduce((sum, one) => sum + one, 0) / all.length;
      const spread = Math.sqrt(all.reduce((sum, one) => sum + (one - mean) ** 2, 0) / all.length);
      expect(spread / mean, name).toBeLessThan(0.1);
      expect(spread, name).toBeGreaterThan(0);
    }
  });

  test("tiles: across its edges a material changes no more than inside", () => {
    for (const name of ROUGH) {
      const all = brightness(sideOf(name));
      const step = (column: number): number =>
        Array.from({ length: 16 }, (_, row) =>
          Math.abs((all[row * 16 + column] as number) - (all[row * 16 + ((column + 1) % 16)] as number)),
        ).reduce((sum, one) => sum + one, 0);
      const inside = Array.from({ length: 15 }, (_, column) => step(column));
      expect(step(15), name).toBeLessThanOrEqual(Math.max(...inside) * 1.2);
    }
  });

  test("knows shapes by usual names", () => {
    const facing = { name: "facing", values: ["north", "east", "south", "west"] };
    const names = [
      "oak stairs",
      "slab",
      "fence",
      "glass pane",
      "torch",
      "ladder",
      "door",
      "tall grass",
      "snow layer",
    ];
    const types = names.map((name, index) => ({
      id: 1 + index * 4,
      name,
      colour: 0,
      solid: true,
      properties: [facing],
    }));
    const catalog = new BlockCatalog([{ id: 0, name: "air", colour: 0, solid: false }, ...types]);
    const looks = looksOf(defaultLooks(), catalog);
    for (const { id, name } of types) expect(looks.lookOf(id).quads.length, name).toBeGreaterThan(1);
  });
});
