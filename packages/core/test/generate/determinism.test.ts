import type { Box } from "@orthant/core";
import { crc32 } from "@orthant/core/bytes";
import { positionsMinorToMajor } from "@orthant/core/lattice";
import { Prng } from "@orthant/testkit";
import { describe, expect, test } from "vitest";
import { PINNED_HASHES } from "./pinned-hashes.ts";
import { boxSomewhere, openWorld, SAMPLE_WORLDS, type SampleWorld } from "./sample-worlds.ts";

const BOXES = 64;

function hashesOf(world: SampleWorld): readonly string[] {
  const prng = new Prng(64);
  const space = openWorld(world);
  const hashOf = (box: Box): string => {
    const voxels = new Uint16Array(
      [...positionsMinorToMajor(box)].flatMap((position) => [...space.realize(...position).voxels()]),
    );
    return crc32(new Uint8Array(voxels.buffer)).toString(16).padStart(8, "0");
  };
  const hashes: string[] = [];
  while (hashes.length < BOXES) {
    const box = boxSomewhere(prng, world, 2);
    if (space.describe(box).leafCount > 0) hashes.push(hashOf(box));
  }
  return hashes;
}

describe("the voxels of released versions", () => {
  test.each(SAMPLE_WORLDS)("the voxels of $name are the same on every machine", (world) => {
    expect(hashesOf(world)).toEqual(PINNED_HASHES[world.name]);
  });

  test.each(SAMPLE_WORLDS)("the voxels of $name are diverse", (world) => {
    const atLeast = world.name === "flat" ? 5 : 20;
    expect(new Set(PINNED_HASHES[world.name]).size).toBeGreaterThan(atLeast);
  });
});
