import { type ChunkShape, CUBE_CHUNKS, HYPERCUBE_CHUNKS, TILE_CHUNKS, uniformChunk } from "@orthant/core";
import {
  generatorRef,
  TERRAIN_DEFAULTS,
  type TerrainParameters,
  terrainGenerator,
} from "@orthant/core/generate";
import {
  boxBetween,
  chunkOfVoxel,
  positionsMinorToMajor,
  voxelIndex,
  WHOLE_LATTICE,
} from "@orthant/core/lattice";
import { codeOf } from "@orthant/testkit";
import { describe, expect, test } from "vitest";
import { openWorld } from "./sample-worlds.ts";

const [AIR, STONE, SOIL, GRASS, SAND, WATER] = [0, 1, 2, 3, 4, 5];
const PLAIN: TerrainParameters = {
  ...TERRAIN_DEFAULTS,
  waterLevel: undefined,
  caves: false,
  ores: false,
  trees: false,
};

const open = (parameters: TerrainParameters, shape: ChunkShape) =>
  openWorld({ ref: generatorRef(terrainGenerator, parameters, 8n), shape });

function columnOf(parameters: TerrainParameters, shape: ChunkShape, x: number, z: number): readonly number[] {
  const space = open(parameters, shape);
  return Array.from({ length: 160 }, (_, index) => {
    const y = 80 - index;
    return space.realize(...chunkOfVoxel(shape, [x, y, z, 0])).get(voxelIndex(shape, x, y, z, 0));
  });
}

describe("the terrain generator", () => {
  test.each([
    { name: "three dimensions", shape: CUBE_CHUNKS },
    { name: "two dimensions", shape: TILE_CHUNKS },
  ])("lays air over grass over soil over stone in $name", ({ shape }) => {
    for (let x = -200; x < 200; x += 20) {
      const column = columnOf({ ...PLAIN, relief: 16 }, shape, x, 0).filter((block) => block !== AIR);
      const covers = column.slice(0, 4).join();
      expect([`${GRASS},${SOIL},${SOIL},${SOIL}`, `14,${STONE},${STONE},${STONE}`]).toContain(covers);
      expect(new Set(column.slice(4))).toEqual(new Set([STONE]));
    }
  });

  test("has hills: the ground uses much of its relief, and never exceeds it", () => {
    const parameters = { ...PLAIN, relief: 30 };
    const heights: number[] = [];
    for (let x = -1000; x < 1000; x += 25) {
      heights.push(80 - columnOf(parameters, CUBE_CHUNKS, x, 0).findIndex((block) => block !== AIR));
    }
    expect(Math.min(...heights)).toBeGreaterThanOrEqual(-32);
    expect(Math.max(...heights)).toBeLessThanOrEqual(32);
    expect(Math.max(...heights) - Math.min(...heights)).toBeGreaterThan(20);
  });

  test("fills depressions with water up to its level, over sand", () => {
    let lakes = 0;
    for (let x = -600; x < 600; x += 15) {
      const column = columnOf({ ...PLAIN, waterLevel: 0 }, CUBE_CHUNKS, x, 40);
      const surface = column.findIndex((block) => block !== AIR);
      if (column[surface] !== WATER) continue;
      lakes++;
      expect(80 - surface).toBe(-1);
      expect(column.find((block) => block !== AIR && block !== WATER)).toBe(SAND);
    }
    expect(lakes).toBeGreaterThan(3);
  });

  test("describes untouched deep stone as boxes, and sky as nothing", () => {
    const box = boxBetween([-8, -24, -8, 0], [8, -8, 8, 1]);
    const stone = uniformChunk(CUBE_CHUNKS.volume, STONE);
    expect([...open(PLAIN, CUBE_CHUNKS).describe(box).pieces()]).toEqual([{ box, content: stone }]);
    expect(open(PLAIN, CUBE_CHUNKS).describe({ ...WHOLE_LATTICE, min: [0, 6, 0, 0] }).leafCount).toBe(0);
    const rich = open(TERRAIN_DEFAULTS, CUBE_CHUNKS);
    const solid = [...rich.describe(box).pieces()].filter(({ content }) => content === stone);
    const chunks = solid.reduce((sum, piece) => sum + [...positionsMinorToMajor(piece.box)].length, 0);
    expect(chunks, "most of the deep is untouched").toBeGreaterThan(1500);
    expect(chunks, "and some is not").toBeLessThan(4000);
  });

  test("hides caves, pools and ores in the ground, richer with depth", () => {
    const found = new Map<number, number>();
    const space = open(TERRAIN_DEFAULTS, CUBE_CHUNKS);
    for (const position of positionsMinorToMajor(boxBetween([0, -12, 0, 0], [12, -5, 12, 1]))) {
      for (const block of space.realize(...position).blocks()) found.set(block, (found.get(block) ?? 0) + 1);
    }
    // Air of caves, stone, water, coal, iron, gold and lava.
    for (const block of [0, 1, 5, 8, 9, 10, 15])
      expect(found.get(block), `block ${block}`).toBeGreaterThan(2);
  });

  test("is the same in every slice of a four-dimensional world", () => {
    const space = open(TERRAIN_DEFAULTS, HYPERCUBE_CHUNKS);
    for (const [x, y, z] of positionsMinorToMajor(boxBetween([0, -3, 0, 0], [3, 2, 3, 1]))) {
      expect(space.realize(x, y, z, 5).equals(space.realize(x, y, z, -70_000))).toBe(true);
    }
  });

  test("refuses to describe more than its limit, and reports content bounds at once", () => {
    const space = open(TERRAIN_DEFAULTS, CUBE_CHUNKS);
    const below = boxBetween([-(2 ** 31), -(2 ** 31), -(2 ** 31), 0], [2 ** 31, 0, 2 ** 31, 1]);
    expect(space.contentBounds(below)).toEqual(below);
    expect(codeOf(() => space.describe(below))).toBe("ORT_LIMIT");
    expect(space.contentBounds(boxBetween([0, 0, 0, 0], [9, 999, 9, 9]))).toEqual(
      boxBetween([0, 0, 0, 0], [9, 5, 9, 1]),
    );
  });
});
