import { CUBE_CHUNKS, HYPERCUBE_CHUNKS, type Position, TILE_CHUNKS } from "@orthant/core";
import {
  boxOfCorners,
  boxText,
  copiesOf,
  middleOf,
  moved,
  planeOf,
  sizeText,
  sliceHiding,
  stretched,
  visibleSides,
} from "@orthant/viewer/internal";
import { describe, expect, test } from "vitest";

const [CUBE, FLAT, FOUR] = [CUBE_CHUNKS, TILE_CHUNKS, HYPERCUBE_CHUNKS];
const ORIGIN: Position = [0, 0, 0, 0];
const BOX = boxOfCorners([4, 0, 9, 0], [0, 2, 5, 0]);

describe("the box of a selection", () => {
  test("contains both voxels that were clicked, in any order", () => {
    expect(BOX).toEqual({ min: [0, 0, 5, 0], max: [5, 3, 10, 1] });
  });

  test("has a text and a size with as many coordinates as the world", () => {
    expect([boxText(BOX, CUBE), sizeText(BOX, CUBE)]).toEqual(["box(0,0,5,5,3,10)", "5 × 3 × 5"]);
    expect(boxText(boxOfCorners([1, 2, 0, 0], [1, 2, 0, 0]), FLAT)).toBe("box(1,2,2,3)");
    expect(boxText(BOX, FOUR)).toBe("box(0,0,5,0,5,3,10,1)");
  });

  test("keeps a voxel when a side is pulled over the other one", () => {
    expect(stretched(BOX, { axis: 0, isHigh: true }, 3).max).toEqual([8, 3, 10, 1]);
    expect(stretched(BOX, { axis: 0, isHigh: true }, -30)).toEqual({ min: [0, 0, 5, 0], max: [1, 3, 10, 1] });
    expect(stretched(BOX, { axis: 1, isHigh: false }, -2).min).toEqual([0, -2, 5, 0]);
    expect(stretched(BOX, { axis: 1, isHigh: false }, 9).min).toEqual([0, 2, 5, 0]);
    expect(moved(BOX, 2, -5)).toEqual({ min: [0, 0, 0, 0], max: [5, 3, 5, 1] });
  });

  test("is repeated as often as it fits into what is pulled", () => {
    expect(copiesOf(BOX, { axis: 0, isHigh: true }, 12)).toEqual({ count: 2, step: [5, 0, 0, 0] });
    expect(copiesOf(BOX, { axis: 0, isHigh: false }, -12)).toEqual({ count: 2, step: [-5, 0, 0, 0] });
    expect(copiesOf(BOX, { axis: 0, isHigh: true }, -12).count).toBe(0);
  });

  test("has a side for each direction that is seen, in the layer of the slice", () => {
    expect(visibleSides(sliceHiding(3, ORIGIN), CUBE)).toHaveLength(6);
    expect(visibleSides(sliceHiding(3, ORIGIN), FLAT)).toHaveLength(4);
    const sides = visibleSides(sliceHiding(0, [7, 0, 0, 0]), FOUR).map(({ axis }) => axis);
    expect(new Set(sides)).toEqual(new Set([1, 2, 3]));
    expect(middleOf(BOX, { axis: 1, isHigh: true }, sliceHiding(3, ORIGIN))).toEqual([2.5, 3, 7.5, 0.5]);
  });

  test("turns about what is up", () => {
    expect(planeOf(sliceHiding(3, ORIGIN), CUBE)).toBe("xz");
    expect(planeOf(sliceHiding(2, ORIGIN), FLAT)).toBe("xy");
    expect(planeOf(sliceHiding(0, ORIGIN), FOUR)).toBe("zw");
  });
});
