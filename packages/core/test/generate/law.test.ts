import { emptyChunk, type Position } from "@orthant/core";
import { boxContains, positionFrom, positionsMinorToMajor } from "@orthant/core/lattice";
import { Prng } from "@orthant/testkit";
import { describe, expect, test } from "vitest";
import { boxInside, boxSomewhere, openWorld, SAMPLE_WORLDS, SMALL_WORLDS } from "./sample-worlds.ts";

const BOXES = 10_000;
const LARGE_BOXES = 300;

describe.each([
  { size: "small", worlds: SMALL_WORLDS, boxes: BOXES, edgeMax: 3 },
  { size: "usual", worlds: SAMPLE_WORLDS, boxes: LARGE_BOXES, edgeMax: 4 },
])("generated space in chunks of $size size", ({ worlds, boxes, edgeMax }) => {
  test.each(worlds)("generated space of $name does not depend on the queried box", (world) => {
    const prng = new Prng(11);
    const found = { air: 0, solid: 0, mixed: 0 };
    let described = openWorld(world);
    let realized = openWorld(world);
    for (let round = 0; round < boxes; round++) {
      const outer = boxSomewhere(prng, world, edgeMax);
      const inner = boxInside(prng, outer);
      const position: Position = positionFrom((axis) => prng.between(outer.min[axis], outer.max[axis] - 1));
      const tree = described.describe(outer);
      const chunk = realized.realize(...position);
      const held = tree.at(...position) ?? emptyChunk(world.shape.volume);
      // Plain comparisons, because an expectation for each would take longer than the boxes.
      if (held !== chunk && !("volume" in held && held.equals(chunk))) {
        expect.fail(`round ${round}: chunk ${position} of ${JSON.stringify(outer)}`);
      }
      if (!described.describe(inner).equals(tree.slice(inner))) {
        expect.fail(`round ${round}: ${JSON.stringify(inner)} of ${JSON.stringify(outer)}`);
      }
      found[chunk.isEmpty ? "air" : chunk.uniformBlock === undefined ? "mixed" : "solid"]++;
      // Their caches must not change a result, so they are reset at different times.
      if (round % 400 === 0) described = openWorld(world);
      if (round % 700 === 0) realized = openWorld(world);
    }
    expect(found.air, "the boxes must reach air").toBeGreaterThan(0);
    expect(found.mixed, "the boxes must reach edges").toBeGreaterThan(0);
  });
});

describe("the bounds of content", () => {
  test.each([...SMALL_WORLDS, ...SAMPLE_WORLDS])(
    "the bounds of the content of $name contain every chunk that is not air",
    (world) => {
      const prng = new Prng(12);
      const space = openWorld(world);
      let outside = 0;
      for (let round = 0; round < 200; round++) {
        const box = boxSomewhere(prng, world, 3);
        const bounds = space.contentBounds(box);
        for (const position of positionsMinorToMajor(box)) {
          if (bounds !== undefined && boxContains(bounds, position)) continue;
          outside++;
          if (!space.realize(...position).isEmpty)
            expect.fail(`round ${round}: ${position} of ${JSON.stringify(box)}`);
        }
      }
      expect(outside, "some chunks must lie outside of the bounds").toBeGreaterThan(0);
    },
  );
});
