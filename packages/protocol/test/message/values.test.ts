import type { Position } from "@orthant/core";
import { boxVolume, comparePositions, positionFrom, positionsLexicographic } from "@orthant/core/lattice";
import { type Pose, roundPose } from "@orthant/protocol";
import { coverRegions, regionMask } from "@orthant/protocol/internal";
import { codeOf, Prng } from "@orthant/testkit";
import { describe, expect, test } from "vitest";

describe("a rounded pose", () => {
  test("[N7] has its position rounded to 1/64 of a voxel", () => {
    const pose: Pose = { position: [0.1, -0.1, 1_000_000.007, -0.001], orientation: [0, 0, 0, 1] };
    expect(roundPose(pose).position).toEqual([0.093_75, -0.093_75, 1_000_000, 0]);
  });

  test("[N8] has its orientation rounded to 1/127", () => {
    const pose: Pose = { position: [0, 0, 0, 0], orientation: [0.5, -0.5, -0.001, 1] };
    expect(roundPose(pose).orientation).toEqual([64 / 127, -63 / 127, 0, 1]);
  });

  test("[N7, N8] does not change when it is rounded again", () => {
    for (let seed = 0; seed < 200; seed++) {
      const prng = new Prng(seed);
      const once = roundPose({
        position: positionFrom(() => (prng.fraction() - 0.5) * 10 ** prng.below(14)),
        orientation: positionFrom(() => prng.fraction() * 2 - 1),
      });
      expect(roundPose(once), `seed ${seed}`).toEqual(once);
    }
  });

  test("[N7, N8] is refused when it cannot be sent", () => {
    const here: Pose = { position: [0, 0, 0, 0], orientation: [0, 0, 0, 1] };
    expect(codeOf(() => roundPose({ ...here, position: [2 ** 48, 0, 0, 0] }))).toBe("ORT_ARGUMENT");
    expect(codeOf(() => roundPose({ ...here, position: [0, Number.NaN, 0, 0] }))).toBe("ORT_ARGUMENT");
    expect(codeOf(() => roundPose({ ...here, orientation: [0, 0, 0, -1.1] }))).toBe("ORT_ARGUMENT");
  });
});

describe("region masks", () => {
  test("[N11, N12] have their regions in order, without duplicates, in the smallest box", () => {
    const mask = regionMask([
      [2, 0, 0, 0],
      [-1, 5, 0, 0],
      [2, 0, 0, 0],
    ]);
    expect(mask.box).toEqual({ min: [-1, 0, 0, 0], max: [3, 6, 1, 1] });
    expect(mask.regions).toEqual([
      [-1, 5, 0, 0],
      [2, 0, 0, 0],
    ]);
  });

  test("[N11, N13] refuse no regions, too many, or regions too far apart", () => {
    expect(codeOf(() => regionMask([]))).toBe("ORT_ARGUMENT");
    const apart: readonly Position[] = [
      [0, 0, 0, 0],
      [65_536, 0, 0, 0],
    ];
    expect(codeOf(() => regionMask(apart))).toBe("ORT_LIMIT");
    const many = [...positionsLexicographic({ min: [0, 0, 0, 0], max: [4_097, 1, 1, 1] })];
    expect(codeOf(() => regionMask(many))).toBe("ORT_LIMIT");
    expect(regionMask(many.slice(1)).regions.length).toBe(4_096);
  });
});

describe("coverRegions", () => {
  test("returns no masks for no regions", () => {
    expect(coverRegions([])).toEqual([]);
  });

  test("returns one mask for a whole box, and one for a box with holes", () => {
    const window = [...positionsLexicographic({ min: [-2, -2, -2, -2], max: [3, 3, 3, 3] })];
    expect(coverRegions(window).length).toBe(1);
    const holed = window.filter(([x, y, z, w]) => (x + y + z + w) % 3 !== 0);
    expect(coverRegions(holed).length).toBe(1);
  });

  test("returns two masks for two regions far from each other", () => {
    const far = 2 ** 29 - 1;
    const masks = coverRegions([
      [far, 0, 0, 0],
      [-far, 0, 0, 0],
    ]);
    expect(masks.map(({ regions }) => regions)).toEqual([[[-far, 0, 0, 0]], [[far, 0, 0, 0]]]);
  });

  test("returns several masks for more regions than one mask may have", () => {
    const many = [...positionsLexicographic({ min: [0, 0, 0, 0], max: [20, 20, 20, 1] })];
    const masks = coverRegions(many);
    expect(masks.length).toBeGreaterThan(1);
    expect(masks.flatMap(({ regions }) => regions).sort(comparePositions)).toEqual(many);
  });

  test("puts each region into exactly one mask and keeps the limits, wherever the regions are", () => {
    for (let seed = 0; seed < 100; seed++) {
      const prng = new Prng(seed);
      const reach = prng.pick([2, 9, 300, 2 ** 29 - 1]);
      const regions = Array.from({ length: prng.between(1, 200) }, () =>
        positionFrom((axis) => (axis < 2 ? prng.between(-reach, reach) : prng.below(2))),
      );
      const masks = coverRegions(regions);
      const found = masks.flatMap((mask) => mask.regions).sort(comparePositions);
      const wanted = new Set(regions.map(String));
      expect(found.length, `seed ${seed}`).toBe(wanted.size);
      expect(new Set(found.map(String)), `seed ${seed}`).toEqual(wanted);
      for (const mask of masks) {
        expect(regionMask(mask.regions), `seed ${seed}`).toEqual(mask);
        expect(boxVolume(mask.box)).toBeLessThanOrEqual(65_536);
      }
    }
  });
});
