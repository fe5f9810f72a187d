import { boxBrush, lineBrush, sphereBrush } from "@orthant/client";
import { isOrthantError, type Position } from "@orthant/core";
import { EDIT_VOXELS_MAX } from "@orthant/protocol";
import { describe, expect, test } from "vitest";

function positions(placements: readonly { readonly position: readonly number[] }[]): ReadonlySet<string> {
  return new Set(placements.map(({ position }) => String(position)));
}

describe("a brush", () => {
  test("a brush of radius 0 is one voxel, with as many coordinates as its center", () => {
    for (const center of [[1, 2] as const, [1, 2, 3] as const, [1, -2, 3, 4] as const]) {
      expect(sphereBrush(center, 0, 7)).toEqual([{ position: center, block: 7 }]);
      expect(boxBrush(center, 0, 7)).toEqual([{ position: center, block: 7 }]);
      expect(lineBrush(center, center, 7)).toEqual([{ position: center, block: 7 }]);
    }
  });

  test("covers each voxel of a box once", () => {
    const box = boxBrush([10, 20, -30], [1, 0, 2], 3);
    expect([box.length, positions(box).size]).toEqual([15, 15]);
    expect(
      box.every(({ position: [x, y, z] }) => Math.abs(x - 10) <= 1 && y === 20 && Math.abs(z + 30) <= 2),
    ).toBe(true);
    expect(boxBrush([0, 0, 0, 0], 3, 1).length).toBe(7 ** 4);
  });

  test("is round as a sphere, and flat on axes with radius 0", () => {
    const ball = positions(sphereBrush([0, 0, 0], 2, 1));
    const has = (...position: number[]): boolean => ball.has(String(position));
    expect([has(2, 0, 0), has(1, 1, 2), has(2, 2, 0), has(2, 2, 2)]).toEqual([true, true, false, false]);
    const disc = sphereBrush([0, 5, 0], [4, 0, 4], 1);
    expect(disc.every(({ position }) => position[1] === 5)).toBe(true);
    expect(disc.length).toBeGreaterThan(Math.PI * 16);
    const egg = positions(sphereBrush([0, 0], [2, 5], 1));
    expect([egg.has("0,5"), egg.has("0,-5"), egg.has("2,0"), egg.has("3,0"), egg.has("2,5")]).toEqual([
      true,
      true,
      true,
      false,
      false,
    ]);
  });

  test("draws a line without gaps, in any direction", () => {
    for (const to of [
      [9, 4, -3],
      [-2, 11, 0],
      [0, 0, -7],
      [5, 5, 5],
    ] satisfies Position<3>[]) {
      const line = lineBrush([1, 0, 2], to, 1).map(({ position }) => position);
      expect([line.at(0), line.at(-1)]).toEqual([[1, 0, 2], to]);
      expect(positions(line.map((position) => ({ position }))).size).toBe(line.length);
      for (const [index, position] of line.slice(1).entries()) {
        const steps = position.map((part, axis) => Math.abs(part - (line[index]?.[axis] ?? 0)));
        expect(Math.max(...steps)).toBe(1);
      }
    }
  });

  test.each<[what: string, argument: string, call: () => unknown]>([
    ["a center with one coordinate", "center is [1]", () => sphereBrush([1] as never, 1, 1)],
    ["a center between voxels", "center is [0.5, 0, 0]", () => boxBrush([0.5, 0, 0], 1, 1)],
    ["a negative radius", "radius is -1", () => boxBrush([0, 0, 0], -1, 1)],
    ["a radius with too few axes", "radius is [1, 1]", () => sphereBrush([0, 0, 0], [1, 1] as never, 1)],
    ["a block that cannot be", "block is 70000", () => boxBrush([0, 0, 0], 1, 70_000)],
    ["ends of different worlds", "to is [1, 1]", () => lineBrush([0, 0, 0], [1, 1] as never, 1)],
    ["more voxels than one edit may have", `at most ${EDIT_VOXELS_MAX}`, () => boxBrush([0, 0, 0], 8, 1)],
    ["a box that would fill the memory", "the box around the brush", () => sphereBrush([0, 0, 0], 1e9, 1)],
    ["a line that is too long", "the line", () => lineBrush([0, 0, 0], [0, 1e9, 0], 1)],
  ])("refuses %s", (_what, argument, call) => {
    expect(call).toThrow(argument);
    expect(call).toThrow(expect.toSatisfy((error) => isOrthantError(error, "ORT_ARGUMENT")));
  });
});
