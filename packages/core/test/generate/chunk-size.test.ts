import { type Box, type Chunk, type ChunkShape, chunkShape } from "@orthant/core";
import { generatorRef, PLATFORMS_DEFAULTS, platformsGenerator } from "@orthant/core/generate";
import {
  boxBetween,
  chunkOfVoxel,
  PositionMap,
  positionsMinorToMajor,
  voxelIndex,
} from "@orthant/core/lattice";
import { describe, expect, test } from "vitest";
import { openWorld, SAMPLE_WORLDS, type SampleWorld } from "./sample-worlds.ts";

/** Returns the voxels in a box of voxels, assembled from chunks of a shape. */
function voxelsIn(ref: SampleWorld["ref"], shape: ChunkShape, box: Box): readonly number[] {
  const space = openWorld({ ref, shape });
  const chunks = new PositionMap<Chunk>();
  const voxels: number[] = [];
  for (const voxel of positionsMinorToMajor(box)) {
    const position = chunkOfVoxel(shape, voxel);
    const chunk = chunks.get(...position) ?? space.realize(...position);
    chunks.set(...position, chunk);
    voxels.push(chunk.get(voxelIndex(shape, ...voxel)));
  }
  return voxels;
}

describe("the chunk size of generated voxels", () => {
  const platforms = generatorRef(platformsGenerator, { ...PLATFORMS_DEFAULTS, structurePercent: 100 }, 5n);
  const refOf = (name: string) =>
    SAMPLE_WORLDS.find((world) => world.name === name)?.ref ?? expect.fail(name);

  // Structures that cross the side of a chunk must be drawn on both sides: other sizes have other sides.
  test.each([
    {
      name: "flat",
      ref: refOf("flat"),
      shapes: [chunkShape([8, 8, 8, 8]), chunkShape([5, 3, 7, 2])],
      box: boxBetween([-10, -9, -10, -10], [10, 9, 10, 10]),
    },
    {
      name: "terrain",
      ref: refOf("terrain"),
      shapes: [chunkShape([16, 16, 16, 1]), chunkShape([5, 9, 7, 1])],
      box: boxBetween([-60, -30, -60, 0], [20, 20, 20, 1]),
    },
    {
      name: "tile terrain",
      ref: refOf("tile terrain"),
      shapes: [chunkShape([32, 32, 1, 1]), chunkShape([9, 5, 1, 1])],
      box: boxBetween([-300, -100, 0, 0], [300, 60, 1, 1]),
    },
    {
      name: "maze",
      ref: refOf("maze"),
      shapes: [chunkShape([8, 8, 8, 8]), chunkShape([3, 5, 7, 2])],
      box: boxBetween([-20, -2, -20, -20], [20, 18, 20, -12]),
    },
    {
      // The slabs are layers of chunks, so chunks of another height make another world.
      name: "platforms, but for their height",
      ref: platforms,
      shapes: [chunkShape([8, 8, 8, 8]), chunkShape([3, 8, 5, 2])],
      box: boxBetween([90, -25, 10, 10], [160, 25, 70, 12]),
    },
  ])("voxels of $name are independent of the chunk size", ({ ref, shapes, box }) => {
    const [first, second] = shapes.map((shape) => voxelsIn(ref, shape, box));
    expect(second?.findIndex((block, index) => block !== first?.[index])).toBe(-1);
    expect(new Set(first).size).toBeGreaterThan(1);
  });
});
