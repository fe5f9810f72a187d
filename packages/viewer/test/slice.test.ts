import { CUBE_CHUNKS, chunkShape, HYPERCUBE_CHUNKS, TILE_CHUNKS } from "@orthant/core";
import {
  axesOf,
  canSweep,
  firstSlice,
  isFlat,
  mapPlane,
  nearestInside,
  sliceHiding,
  toScene,
  toWorld,
  turned,
  voxelAt,
} from "@orthant/viewer/internal";
import { describe, expect, test } from "vitest";

describe("a slice", () => {
  test("hides w at first, or an axis that a flatter world lacks", () => {
    expect(firstSlice(HYPERCUBE_CHUNKS, [1, 2, 3, 4.5])).toEqual({
      right: 0,
      up: 1,
      back: 2,
      hidden: 3,
      at: 4,
    });
    expect(firstSlice(CUBE_CHUNKS, [1, 2, 3, 0])).toMatchObject({ hidden: 3, at: 0 });
    expect(firstSlice(TILE_CHUNKS, [1, 2, 0, 0])).toMatchObject({ right: 0, up: 1, hidden: 3 });
    expect([HYPERCUBE_CHUNKS, CUBE_CHUNKS, TILE_CHUNKS].map((shape) => axesOf(shape).length)).toEqual([
      4, 3, 2,
    ]);
    expect(axesOf(chunkShape([1, 1, 1, 1])).length, "a world of single voxels may have all").toBe(4);
  });

  test("shows every point at the same position through any turn", () => {
    const eye = [1.5, 2.5, 3.5, 4.5] as const;
    let slice = firstSlice(HYPERCUBE_CHUNKS, eye);
    const hidden: number[] = [];
    for (let turns = 0; turns < 3; turns++) {
      slice = turned(slice, eye);
      hidden.push(slice.hidden);
      expect(toWorld(slice, toScene(slice, eye))).toEqual(eye);
      expect(slice.up, "up stays up").toBe(1);
    }
    expect(hidden).toEqual([2, 0, 3]);
    expect(slice).toEqual(firstSlice(HYPERCUBE_CHUNKS, eye));
  });

  test("puts w in the place of the axis that it hides", () => {
    expect(sliceHiding(0, [-0.5, 0, 0, 0])).toEqual({ right: 3, up: 1, back: 2, hidden: 0, at: -1 });
    expect(voxelAt(sliceHiding(0, [7, 0, 0, 0]), [-0.5, 2, 3])).toEqual([7, 2, 3, -1]);
  });

  test("never leaves the lattice, whatever a save or a server says", () => {
    expect(nearestInside(CUBE_CHUNKS, [1.5, -2, 3, 0])).toEqual([1.5, -2, 3, 0]);
    const [x, y, z, w] = nearestInside(CUBE_CHUNKS, [3.4e38, -1e12, Number.NaN, Number.POSITIVE_INFINITY]);
    expect(x).toBe((2 ** 31 - 1_024) * 16);
    expect([y, z, w]).toEqual([-(2 ** 31 - 1_024) * 16, 0, 2 ** 31 - 1_024]);
  });

  test("can be moved only in a world with neighbouring slices", () => {
    expect(canSweep(HYPERCUBE_CHUNKS)).toBe(true);
    expect(canSweep(CUBE_CHUNKS)).toBe(false);
  });
});

describe("a map", () => {
  test("shows all of a flat world, with y up, and other worlds from above", () => {
    const slice = sliceHiding(3, [0, 0, 0, 0]);
    expect(mapPlane(TILE_CHUNKS, slice)).toEqual({ across: 0, down: 1, isUpright: true, along: undefined });
    expect(mapPlane(chunkShape([8, 1, 8, 1]), slice)).toEqual({
      across: 0,
      down: 2,
      isUpright: false,
      along: undefined,
    });
    expect(mapPlane(CUBE_CHUNKS, slice)).toEqual({ across: 0, down: 2, isUpright: false, along: 1 });
    expect([TILE_CHUNKS, CUBE_CHUNKS].map(isFlat)).toEqual([true, false]);
  });
});
