import type { Position } from "@orthant/core";
import {
  boxAt,
  boxBetween,
  boxContains,
  boxContainsBox,
  boxVolume,
  comparePositions,
  positionsLexicographic,
  regionBox,
  regionOf,
  regionsTouching,
  roundOutToRegions,
  WHOLE_LATTICE,
} from "@orthant/core/lattice";
import { Prng } from "@orthant/testkit";
import { describe, expect, test } from "vitest";
import { smallBox } from "./small-boxes.ts";

describe("regions", () => {
  test("are cubes of four chunks per edge, by floor division", () => {
    const low = -(2 ** 31);
    expect(regionOf([-1, 0, 3, 4])).toEqual([-1, 0, 0, 1]);
    expect(regionOf([-4, -5, low, 2 ** 31 - 1])).toEqual([-1, -2, -(2 ** 29), 2 ** 29 - 1]);
    expect(regionBox([-1, 0, 1, -(2 ** 29)])).toEqual({ min: [-4, 0, 4, low], max: [0, 4, 8, low + 4] });
  });

  test("are found in lexicographic order for the chunks that they touch", () => {
    const prng = new Prng(5);
    for (let round = 0; round < 100; round++) {
      const chunks = smallBox(prng);
      const expected = new Set([...positionsLexicographic(chunks)].map((chunk) => String(regionOf(chunk))));
      const touched = [...positionsLexicographic(regionsTouching(chunks))];
      expect(touched, `round ${round}`).toEqual([...touched].sort(comparePositions));
      expect(new Set(touched.map(String)), `round ${round}`).toEqual(expected);
      const rounded = roundOutToRegions(chunks);
      expect(boxContainsBox(rounded, chunks)).toBe(true);
      expect(boxVolume(rounded)).toBe(touched.length * 256);
      for (const region of touched) expect(boxContainsBox(rounded, regionBox(region))).toBe(true);
    }
  });

  test("can be iterated without a list of them all", () => {
    const first: Position[] = [];
    for (const region of positionsLexicographic(regionsTouching(WHOLE_LATTICE))) {
      first.push(region);
      if (first.length === 2) break;
    }
    const low = -(2 ** 29);
    expect(first).toEqual([
      [low, low, low, low],
      [low, low, low, low + 1],
    ]);
    expect(roundOutToRegions(WHOLE_LATTICE)).toEqual(WHOLE_LATTICE);
  });

  test("contain the chunks that belong to them", () => {
    const prng = new Prng(6);
    for (let round = 0; round < 1000; round++) {
      const chunk: Position = [prng.u32() | 0, prng.u32() | 0, prng.u32() | 0, prng.u32() | 0];
      expect(boxContains(regionBox(regionOf(chunk)), chunk)).toBe(true);
      expect(roundOutToRegions(boxAt(chunk))).toEqual(regionBox(regionOf(chunk)));
    }
    expect(roundOutToRegions(boxBetween([-1, 0, 0, 3], [1, 1, 1, 5]))).toEqual({
      min: [-4, 0, 0, 0],
      max: [4, 4, 4, 8],
    });
  });
});
