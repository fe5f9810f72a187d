import { DEFAULT_BLOCKS, type Position } from "@orthant/core";
import { BlockAppearance } from "@orthant/mesh";
import {
  addVoxel,
  BRUSH_RADIUS_MAX,
  type Brush,
  brushPlacements,
  emptyColumns,
  paintMapTile,
  type Slice,
  sliceHiding,
} from "@orthant/viewer/internal";
import { describe, expect, test } from "vitest";

const slice = sliceHiding(3, [0, 0, 0, 2]);
const brushVoxels = (brush: Brush, center: Position, shown: Slice): readonly Position[] =>
  brushPlacements(brush, center, shown, 7).map(({ position }) => position);

describe("a brush", () => {
  test("a brush of radius 0 is one voxel", () => {
    expect(brushVoxels({ shape: "sphere", radius: 0, isThick: true }, [1, 2, 3, 4], slice)).toEqual([
      [1, 2, 3, 4],
    ]);
  });

  test("stays in the slice unless it is thick", () => {
    const thin = brushVoxels({ shape: "box", radius: 1, isThick: false }, [0, 0, 0, 2], slice);
    expect(thin.length).toBe(27);
    expect(thin.every(([, , , w]) => w === 2)).toBe(true);
    expect(brushVoxels({ shape: "box", radius: 1, isThick: true }, [0, 0, 0, 2], slice).length).toBe(81);
    const other = brushVoxels(
      { shape: "box", radius: 1, isThick: false },
      [5, 0, 0, 0],
      sliceHiding(0, [5, 0, 0, 0]),
    );
    expect(other.every(([x]) => x === 5)).toBe(true);
    expect(new Set(other.map(([, , , w]) => w)).size).toBe(3);
  });

  test("is round when it is a sphere, and never exceeds one edit", () => {
    const ball = brushVoxels({ shape: "sphere", radius: 2, isThick: false }, [0, 0, 0, 2], slice);
    const has = (...wanted: number[]): boolean =>
      ball.some((voxel) => String(voxel) === String([...wanted, 2]));
    expect([has(2, 0, 0), has(1, 1, 2), has(2, 2, 0), has(2, 2, 2)]).toEqual([true, true, false, false]);
    const largest = { shape: "box", radius: BRUSH_RADIUS_MAX, isThick: true } as const;
    expect(brushVoxels(largest, [0, 0, 0, 0], slice).length).toBeLessThanOrEqual(4_096);
  });
});

describe("a map tile", () => {
  const looks = new BlockAppearance(DEFAULT_BLOCKS);
  const [WATER, SAND, STONE] = [5, 4, 1];

  test("has the colour of the first voxel from above", () => {
    const columns = emptyColumns(2, 1);
    expect(addVoxel(columns, 0, 0, 9, looks), "air hides nothing").toBe(true);
    expect(addVoxel(columns, 0, STONE, 8, looks)).toBe(false);
    expect([...paintMapTile(columns, looks, false)]).toEqual([0x8a, 0x8d, 0x91, 255, 0, 0, 0, 0]);
  });

  test("shows the ground through water, and shades slopes", () => {
    const columns = emptyColumns(2, 1);
    expect(addVoxel(columns, 0, WATER, 9, looks)).toBe(true);
    addVoxel(columns, 0, SAND, 8, looks);
    addVoxel(columns, 1, STONE, 11, looks);
    const [red = 0, , , , stone = 0] = paintMapTile(columns, looks, true);
    expect(red).toBeGreaterThan(0x3b);
    expect(red).toBeLessThan(0xe2);
    expect(stone, "it faces the light").toBeGreaterThan(0x8a);
  });
});
