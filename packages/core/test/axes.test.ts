import {
  box,
  CUBE_CHUNKS,
  chunkBox,
  chunkShape,
  dimensionsOf,
  HYPERCUBE_CHUNKS,
  TILE_CHUNKS,
} from "@orthant/core";
import { Axes } from "@orthant/core/lattice";
import { describe, expect, test } from "vitest";

const RUBBISH: readonly unknown[] = [
  undefined,
  null,
  7,
  "0,0,0",
  {},
  [],
  [0, 0],
  [0, 0, 0, 0],
  [0, 0.5, 0],
  [0, Number.NaN, 0],
  [0, Number.POSITIVE_INFINITY, 0],
  [0, "1", 0],
  [0, 1n, 0],
  // biome-ignore lint/suspicious/noSparseArray: a hole is what the test is about
  [0, , 0],
  new DataView(new ArrayBuffer(24)),
  { 0: 0, 1: 0, 2: 0, length: 3 },
];

describe("the dimensions of a world", () => {
  test.each([
    [TILE_CHUNKS, 2],
    [CUBE_CHUNKS, 3],
    [HYPERCUBE_CHUNKS, 4],
    [chunkShape([16, 1, 16, 1]), 3],
    [chunkShape([1, 1, 1, 1]), 2],
    [chunkShape([64, 1, 1, 1]), 2],
  ])("follow from its chunk shape (%#)", (shape, dimensions) => {
    expect(dimensionsOf(shape)).toBe(dimensions);
  });
});

describe("Axes", () => {
  const axes = new Axes<3>(CUBE_CHUNKS);

  test("a position of three numbers gets a fourth, and loses it again", () => {
    expect(axes.position("position", [1, -2, 3])).toEqual([1, -2, 3, 0]);
    expect(axes.publicPosition([1, -2, 3, 0])).toEqual([1, -2, 3]);
  });

  test("minus zero becomes zero", () => {
    expect(Object.is(axes.position("position", [-0, 0, 0])[0], 0)).toBe(true);
  });

  test("typed arrays are positions too", () => {
    expect(axes.position("position", Int32Array.of(1, 2, 3))).toEqual([1, 2, 3, 0]);
  });

  test.each(RUBBISH)("rubbish is refused with the argument's name and what would be right (%#)", (value) => {
    expect(() => axes.position("position", value)).toThrow(
      /ORT_ARGUMENT: position .*it is \[x, y, z\], 3 whole numbers/,
    );
  });

  test("a coordinate on an axis without voxels must be 0", () => {
    const flat = new Axes<3>(chunkShape([16, 1, 16, 1]));
    expect(flat.position("position", [5, 0, 5])).toEqual([5, 0, 5, 0]);
    expect(() => flat.position("position", [5, 1, 5])).toThrow(/one voxel on y, so it must be 0/);
    expect(() => flat.voxels("box", box([0, 0, 0], [4, 2, 4]))).toThrow(/one voxel on y/);
  });

  test("points may have fractions, but no NaN", () => {
    expect(axes.vector("position", [0.5, 1.25, -3])).toEqual([0.5, 1.25, -3, 0]);
    expect(() => axes.vector("position", [0, Number.NaN, 0])).toThrow(/3 finite numbers/);
  });

  test("boxes get a fourth axis of one voxel", () => {
    expect(axes.voxels("box", box([0, 0, 0], [2, 3, 4]))).toEqual({ min: [0, 0, 0, 0], max: [2, 3, 4, 1] });
    expect(axes.publicChunks({ min: [0, 0, 0, 0], max: [2, 3, 4, 1] })).toEqual(
      chunkBox([0, 0, 0], [2, 3, 4]),
    );
  });

  test("a box of chunks is not a box of voxels, and the reverse", () => {
    expect(() => axes.voxels("box", chunkBox([0, 0, 0], [1, 1, 1]))).toThrow(
      "box is a box of chunks; it is a box of voxels: write box(min, max)",
    );
    expect(() => axes.chunks("chunks", box([0, 0, 0], [1, 1, 1]))).toThrow(
      "chunks is a box of voxels; it is a box of chunks: write chunkBox(min, max)",
    );
    expect(() => axes.voxels("box", { min: [0, 0, 0], max: [1, 1, 1] })).toThrow(/an object without a unit/);
  });

  test.each(RUBBISH)("a corner of rubbish is refused (%#)", (corner) => {
    const wrong = { unit: "voxels", min: [0, 0, 0], max: corner };
    expect(() => axes.voxels("box", wrong)).toThrow(/ORT_ARGUMENT: box\.max/);
  });
});

describe("box", () => {
  test("returns what it is given, with its unit", () => {
    expect(box([0, 0], [3, 4])).toEqual({ unit: "voxels", min: [0, 0], max: [3, 4] });
  });

  test.each<[what: string, min: unknown, max: unknown, message: RegExp]>([
    ["an empty box", [0, 0, 0], [1, 0, 1], /from \[0, 0, 0\] to \[1, 0, 1\] is empty/],
    [
      "corners of different length",
      [0, 0],
      [1, 1, 1],
      /max is \[1, 1, 1\]; it has as many numbers as min, which has 2/,
    ],
    ["one number", [0], [1], /two to four whole numbers/],
    ["five numbers", [0, 0, 0, 0, 0], [1, 1, 1, 1, 1], /two to four whole numbers/],
    ["a fraction", [0, 0], [1, 1.5], /two to four whole numbers/],
    ["nothing", undefined, undefined, /min is undefined/],
  ])("refuses %s", (_, min, max, message) => {
    expect(() => (box as (min: unknown, max: unknown) => unknown)(min, max)).toThrow(message);
  });
});
