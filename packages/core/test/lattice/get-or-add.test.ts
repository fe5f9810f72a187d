import { getOrAdd, PositionMap } from "@orthant/core/lattice";
import { expect, test } from "vitest";

test("getOrAdd creates the value of a key once", () => {
  const map = new Map<string, number[]>();
  getOrAdd(map, "odd", () => []).push(1);
  getOrAdd(map, "odd", () => []).push(3);
  expect([...map]).toEqual([["odd", [1, 3]]]);
});

test("a PositionMap creates the value of a position once", () => {
  const map = new PositionMap<number[]>();
  map.getOrAdd(1, 2, 3, 4, () => []).push(1);
  map.getOrAdd(1, 2, 3, 4, () => []).push(3);
  expect([...map]).toEqual([
    [
      [1, 2, 3, 4],
      [1, 3],
    ],
  ]);
});
