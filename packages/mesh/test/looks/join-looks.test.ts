import { DEFAULT_BLOCKS } from "@orthant/core";
import { defaultLooks, joinLooks, looksOf, parseLooks } from "@orthant/mesh/looks";
import { expect, test } from "vitest";

const picture = (edge: number, value: number) => ({
  width: edge,
  height: edge,
  pixels: new Uint8Array(edge * edge * 4).fill(value),
});
const [STONE, GRASS] = [DEFAULT_BLOCKS.id("stone"), DEFAULT_BLOCKS.id("grass")];

test("a pack of a game replaces looks of the default one, and leaves the others", () => {
  const own = parseLooks({ blocks: { stone: "marble" } }, new Map([["marble", picture(16, 255)]]));
  const [joined, before] = [
    looksOf(joinLooks(defaultLooks(), own), DEFAULT_BLOCKS),
    looksOf(defaultLooks(), DEFAULT_BLOCKS),
  ];
  expect(joined.lookOf(GRASS)).toEqual(before.lookOf(GRASS));
  const layer = joined.lookOf(STONE).cube?.[0]?.layer ?? 0;
  expect(layer).toBe(before.textures.count);
  expect(joined.textures.count).toBe(before.textures.count + 1);
  expect(joined.textures.pixels.at(layer * 16 * 16 * 4)).toBe(255);
  expect(joined.lookOf(STONE)).toBe(joined.lookOf(STONE));
});

test("textures of several sizes become as large as the largest, and models keep their corners", () => {
  const small = parseLooks(
    { blocks: { grass: { model: "cross", texture: "weed" } } },
    new Map([["weed", picture(8, 90)]]),
  );
  const large = parseLooks({ blocks: { stone: "marble" } }, new Map([["marble", picture(32, 200)]]));
  const joined = looksOf(joinLooks(small, large), DEFAULT_BLOCKS);
  expect(joined.textures.edge).toBe(32);
  expect(joined.textures.count).toBe(4);
  const [quad] = joined.lookOf(GRASS).quads;
  expect(quad?.texture.layer).toBe(2);
  expect(quad?.corners).toEqual(looksOf(small, DEFAULT_BLOCKS).lookOf(GRASS).quads[0]?.corners);
  expect(joined.lookOf(STONE).cube?.[0]?.layer).toBe(3);
});

test("no packs draw blocks in their colours, and what is not a pack is rejected", () => {
  expect(looksOf(joinLooks(), DEFAULT_BLOCKS).lookOf(STONE).cube).toBeDefined();
  expect(() => joinLooks(defaultLooks(), {} as never)).toThrow("packs[1]");
});
