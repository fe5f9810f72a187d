import { type Box, CUBE_CHUNKS, HYPERCUBE_CHUNKS, TILE_CHUNKS } from "@orthant/core";
import { generatorRef, PLATFORMS_DEFAULTS, platformsGenerator } from "@orthant/core/generate";
import { boxBetween, boxesIntersect, boxVolume, WHOLE_LATTICE } from "@orthant/core/lattice";
import { codeOf } from "@orthant/testkit";
import { describe, expect, test } from "vitest";
import { openWorld } from "./sample-worlds.ts";

const ref = generatorRef(platformsGenerator, PLATFORMS_DEFAULTS, 3n);
const GRASS = 3;

describe("the platforms generator", () => {
  test.each([
    { name: "four dimensions", shape: HYPERCUBE_CHUNKS },
    { name: "three dimensions", shape: CUBE_CHUNKS },
    { name: "two dimensions", shape: TILE_CHUNKS },
  ])("has ground under the origin and free air above it in $name", ({ shape }) => {
    const space = openWorld({ ref, shape });
    expect(space.realize(0, -1, 0, 0).uniformBlock).toBe(GRASS);
    expect(space.realize(0, 0, 0, 0).isEmpty).toBe(true);
  });

  test("describes the inside of a platform as a few uniform boxes", () => {
    const space = openWorld({ ref, shape: HYPERCUBE_CHUNKS });
    const tree = space.describe(boxBetween([-8, -4, -8, -8], [8, 0, 8, 8]));
    expect(tree.leafCount).toBeLessThanOrEqual(16);
    const pieces = [...tree.pieces()];
    expect(pieces.every(({ content }) => content === space.realize(0, -1, 0, 0))).toBe(true);
    expect(pieces.reduce((sum, { box }) => sum + boxVolume(box), 0)).toBe(16 * 3 * 16 * 16);
  });

  test("makes platforms hundreds of voxels wide and tens high, which never touch", () => {
    const space = openWorld({ ref, shape: CUBE_CHUNKS });
    const slabs: Box[] = [];
    for (let cellY = -4; cellY < 4; cellY++) {
      // Slabs are aligned with regions: 64 voxels are one.
      const top = cellY * 4;
      const layer = boxBetween([-80, top - 1, -80, 0], [80, top, 80, 1]);
      slabs.push(...outlinesOf([...space.describe(layer).pieces()].map(({ box }) => box)));
    }
    expect(slabs.length).toBeGreaterThan(10);
    for (const [index, slab] of slabs.entries()) {
      expect(slab.max[0] - slab.min[0]).toBeLessThanOrEqual(20);
      expect(slabs.some((other, at) => at !== index && boxesIntersect(other, slab))).toBe(false);
    }
    expect(
      slabs.filter(({ min, max }) => max[0] - min[0] >= 10 && max[2] - min[2] >= 10).length,
    ).toBeGreaterThan(5);
  });

  test("builds on top of them and nowhere else", () => {
    const space = openWorld({ ref, shape: HYPERCUBE_CHUNKS });
    const above = space.describe(boxBetween([-16, 0, -16, -4], [16, 5, 16, 4]));
    const blocks = new Set<number>();
    for (const { content } of above.pieces()) {
      if ("blocks" in content) for (const block of content.blocks()) blocks.add(block);
    }
    expect(blocks.size).toBeGreaterThan(6);
    const bare = generatorRef(platformsGenerator, { ...PLATFORMS_DEFAULTS, structurePercent: 0 }, 3n);
    const empty = openWorld({ ref: bare, shape: HYPERCUBE_CHUNKS }).describe(
      boxBetween([-16, 0, -16, -4], [16, 5, 16, 4]),
    );
    expect(empty.leafCount).toBe(0);
  });

  test("answers for endless boxes at once: with bounds, or with an error", () => {
    const space = openWorld({ ref, shape: HYPERCUBE_CHUNKS });
    expect(space.contentBounds(WHOLE_LATTICE)).toEqual(WHOLE_LATTICE);
    expect(codeOf(() => space.describe(WHOLE_LATTICE))).toBe("ORT_LIMIT");
    // There is nothing between two storeys, however wide the box.
    expect(space.contentBounds(boxBetween([4, 6, 4, 4], [20, 7, 20, 20]))).toBeUndefined();
  });
});

/** Returns the boxes around groups of touching boxes. */
function outlinesOf(boxes: readonly Box[]): readonly Box[] {
  let groups: Box[] = [...boxes];
  for (let merged = true; merged; ) {
    merged = false;
    const next: Box[] = [];
    for (const box of groups) {
      const grown = boxBetween(
        [box.min[0] - 1, box.min[1], box.min[2] - 1, 0],
        [box.max[0] + 1, box.max[1], box.max[2] + 1, 1],
      );
      const at = next.findIndex((other) => boxesIntersect(other, grown));
      const other = next[at];
      if (other === undefined) next.push(box);
      else {
        merged = true;
        next[at] = boxBetween(
          [Math.min(box.min[0], other.min[0]), box.min[1], Math.min(box.min[2], other.min[2]), 0],
          [Math.max(box.max[0], other.max[0]), box.max[1], Math.max(box.max[2], other.max[2]), 1],
        );
      }
    }
    groups = next;
  }
  return groups;
}
