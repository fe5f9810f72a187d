import {
  type ChunkShape,
  CUBE_CHUNKS,
  chunkFromVoxels,
  chunkShape,
  HYPERCUBE_CHUNKS,
  uniformChunk,
} from "@orthant/core";
import { FLAT_DEFAULTS, type FlatParameters, flatGenerator, generatorRef } from "@orthant/core/generate";
import { positionInChunk } from "@orthant/core/internal";
import { boxBetween, positionsMinorToMajor, WHOLE_LATTICE } from "@orthant/core/lattice";
import { describe, expect, test } from "vitest";
import { openWorld } from "./sample-worlds.ts";

const open = (parameters: FlatParameters, shape: ChunkShape) =>
  openWorld({ ref: generatorRef(flatGenerator, parameters, 0n), shape });

describe("the flat generator", () => {
  test("makes the floor of the original: two voxels high in the chunks below the origin, air elsewhere", () => {
    const space = open({ block: 11, top: 0, thickness: 2 }, HYPERCUBE_CHUNKS);
    const floor = Uint16Array.from({ length: 4096 }, (_, index) => (Math.floor(index / 8) % 8 >= 6 ? 11 : 0));
    for (const [x, y, z, w] of positionsMinorToMajor(boxBetween([-2, -3, -2, -2], [2, 3, 2, 2]))) {
      const chunk = space.realize(x, y, z, w);
      if (y === -1) expect(chunk.equals(chunkFromVoxels(floor))).toBe(true);
      else expect(chunk.isEmpty).toBe(true);
    }
  });

  test("makes a floor of any thickness at any height for any shape", () => {
    const shape = chunkShape([3, 5, 2, 1]);
    for (const [top, thickness] of [
      [0, 2],
      [7, 1],
      [-3, 12],
      [5, 5],
      [11, 0],
    ] as const) {
      const space = open({ block: 9, top, thickness }, shape);
      for (let y = -5; y < 5; y++) {
        const chunk = space.realize(1, y, -1, 0);
        for (let index = 0; index < shape.volume; index++) {
          const height = y * 5 + positionInChunk(shape, index)[1];
          expect(chunk.get(index)).toBe(height < top && height >= top - thickness ? 9 : 0);
        }
      }
    }
  });

  test("needs only a handful of leaves, however large the box", () => {
    const space = open({ ...FLAT_DEFAULTS, top: 16, thickness: 48 }, CUBE_CHUNKS);
    const tree = space.describe(WHOLE_LATTICE);
    expect(tree.leafCount).toBeLessThanOrEqual(64);
    expect(tree.at(2 ** 31 - 1, 0, -(2 ** 31), 0)).toBe(uniformChunk(4096, FLAT_DEFAULTS.block));
    expect(tree.at(0, 1, 0, 0)).toBeUndefined();
    expect(tree.at(0, 0, 0, 1)).toBeUndefined();
    expect(
      open(FLAT_DEFAULTS, HYPERCUBE_CHUNKS).describe({ ...WHOLE_LATTICE, min: [-9, 0, -9, -9] }).leafCount,
    ).toBe(0);
  });

  test("the flat generator with no thickness makes a world of air", () => {
    const space = open({ ...FLAT_DEFAULTS, thickness: 0 }, HYPERCUBE_CHUNKS);
    expect(space.contentBounds(WHOLE_LATTICE)).toBeUndefined();
    expect(space.describe(WHOLE_LATTICE).leafCount).toBe(0);
    expect(space.realize(0, -1, 0, 0).isEmpty).toBe(true);
  });
});
