import {
  CUBE_CHUNKS,
  chunkShape,
  HYPERCUBE_CHUNKS,
  PIXEL_CHUNKS,
  type Position,
  TILE_CHUNKS,
} from "@orthant/core";
import { positionInChunk } from "@orthant/core/internal";
import {
  boxBetween,
  CHUNK_VOXELS_MAX,
  chunkOfVoxel,
  chunksOfVoxels,
  clipToAxes,
  cubeAt,
  floorDivide,
  floorModulo,
  indexInChunk,
  pointOnAxes,
  positionFrom,
  voxelIndex,
  voxelOfIndex,
  voxelsOfChunks,
  WHOLE_LATTICE,
} from "@orthant/core/lattice";
import { codeOf, Prng } from "@orthant/testkit";
import { describe, expect, test } from "vitest";

const shapes = [
  ["four dimensions", HYPERCUBE_CHUNKS],
  ["three dimensions", CUBE_CHUNKS],
  ["tiles", TILE_CHUNKS],
  ["pixels", PIXEL_CHUNKS],
  ["odd extents", chunkShape([3, 5, 7, 2])],
  ["one voxel", chunkShape([1, 1, 1, 1])],
] as const;

describe("floor division", () => {
  test("rounds towards minus infinity and leaves a non-negative remainder", () => {
    const expected: [dividend: number, divisor: number, quotient: number, remainder: number][] = [
      [-9, 4, -3, 3],
      [-8, 4, -2, 0],
      [-1, 4, -1, 3],
      [0, 4, 0, 0],
      [7, 4, 1, 3],
      [-1, 65_536, -1, 65_535],
    ];
    for (const [dividend, divisor, quotient, remainder] of expected) {
      expect(floorDivide(dividend, divisor)).toBe(quotient);
      expect(floorModulo(dividend, divisor)).toBe(remainder);
    }
  });

  test("is exact for every safe integer", () => {
    const prng = new Prng(3);
    for (let round = 0; round < 20_000; round++) {
      const magnitude = prng.chance(0.3) ? Number.MAX_SAFE_INTEGER - prng.below(100) : prng.below(2 ** 53);
      const dividend = prng.chance(0.5) ? -magnitude : magnitude;
      const divisor = prng.between(1, 65_536);
      const big = BigInt(dividend);
      const remainder = ((big % BigInt(divisor)) + BigInt(divisor)) % BigInt(divisor);
      expect(floorModulo(dividend, divisor), `${dividend} by ${divisor}`).toBe(Number(remainder));
      expect(floorDivide(dividend, divisor), `${dividend} by ${divisor}`).toBe(
        Number((big - remainder) / BigInt(divisor)),
      );
    }
  });
});

describe("a chunk shape", () => {
  test("has extents of at least 1 and at most 65,536 voxels", () => {
    expect(chunkShape([65_536, 1, 1, 1]).volume).toBe(CHUNK_VOXELS_MAX);
    expect(chunkShape([16, 16, 16, 16]).volume).toBe(CHUNK_VOXELS_MAX);
    const broken: Position[] = [
      [0, 8, 8, 8],
      [8, 8, 8, -1],
      [8, 1.5, 8, 8],
      [8, 8, Number.NaN, 8],
      [65_537, 1, 1, 1],
      [256, 257, 1, 1],
      [65_536, 65_536, 65_536, 65_536],
    ];
    for (const extents of broken) expect(codeOf(() => chunkShape(extents))).toBe("ORT_ARGUMENT");
  });

  test.each(shapes)("numbers its voxels with x fastest: %s", (_name, shape) => {
    const [ex, ey, ez, ew] = shape.extents;
    let index = 0;
    for (let w = 0; w < ew; w++)
      for (let z = 0; z < ez; z++)
        for (let y = 0; y < ey; y++)
          for (let x = 0; x < ex; x++) {
            if (indexInChunk(shape, x, y, z, w) !== index) expect.fail(`cell ${x},${y},${z},${w}`);
            if (String(positionInChunk(shape, index)) !== `${x},${y},${z},${w}`)
              expect.fail(`index ${index}`);
            index++;
          }
    expect(index).toBe(shape.volume);
    for (const outside of [-1, shape.volume, 0.5]) {
      expect(codeOf(() => positionInChunk(shape, outside))).toBe("ORT_ARGUMENT");
    }
  });

  test.each(shapes)("maps a voxel to its chunk and index, and back: %s", (_name, shape) => {
    const prng = new Prng(4);
    const extreme = 2 ** 31;
    for (let round = 0; round < 2000; round++) {
      const chunk: Position = positionFrom(() =>
        prng.chance(0.2) ? prng.pick([-extreme, extreme - 1, -1, 0]) : prng.between(-extreme, extreme - 1),
      );
      const index = prng.below(shape.volume);
      const voxel = voxelOfIndex(shape, chunk, index);
      expect(chunkOfVoxel(shape, voxel)).toEqual(chunk);
      expect(voxelIndex(shape, ...voxel)).toBe(index);
    }
  });

  test("refuses voxels of chunks off the lattice", () => {
    const edge = 2 ** 31 * 8;
    expect(chunkOfVoxel(HYPERCUBE_CHUNKS, [edge - 1, -edge, -1, 7])).toEqual([
      2 ** 31 - 1,
      -(2 ** 31),
      -1,
      0,
    ]);
    const broken: Position[] = [
      [edge, 0, 0, 0],
      [0, -edge - 1, 0, 0],
      [0, 0, Number.MAX_SAFE_INTEGER, 0],
      [0, 0, 0, 0.5],
      [Number.NaN, 0, 0, 0],
    ];
    for (const voxel of broken)
      expect(codeOf(() => chunkOfVoxel(HYPERCUBE_CHUNKS, voxel))).toBe("ORT_POSITION_RANGE");
  });

  test("converts boxes of chunks to boxes of voxels, and back to the chunks that they touch", () => {
    const chunks = boxBetween([-1, 0, 0, 2], [1, 1, 3, 3]);
    expect(voxelsOfChunks(TILE_CHUNKS, chunks)).toEqual({ min: [-32, 0, 0, 2], max: [32, 32, 3, 3] });
    for (const [, shape] of shapes) {
      expect(chunksOfVoxels(shape, voxelsOfChunks(shape, chunks))).toEqual(chunks);
      expect(chunksOfVoxels(shape, voxelsOfChunks(shape, WHOLE_LATTICE))).toEqual(WHOLE_LATTICE);
    }
    expect(chunksOfVoxels(HYPERCUBE_CHUNKS, cubeAt([-1, 7, 8, 0], 2))).toEqual({
      min: [-1, 0, 1, 0],
      max: [1, 2, 2, 1],
    });
  });
});

describe("an axis that a world lacks", () => {
  test("clips a box to its coordinate 0, and leaves other axes as they are", () => {
    const box = boxBetween([-3, 2, -4, 0], [9, 5, 8, 7]);
    expect(clipToAxes(TILE_CHUNKS, box)).toEqual(boxBetween([-3, 2, 0, 0], [9, 5, 1, 1]));
    expect(clipToAxes(CUBE_CHUNKS, box)).toEqual(boxBetween([-3, 2, -4, 0], [9, 5, 8, 1]));
    expect(clipToAxes(HYPERCUBE_CHUNKS, box)).toEqual(box);
  });

  test.each([
    ["before", boxBetween([0, 0, 0, -4], [4, 4, 4, 0])],
    ["after", boxBetween([0, 0, 0, 1], [4, 4, 4, 4])],
  ])("leaves nothing of a box that lies %s it", (_where, box) => {
    expect(clipToAxes(CUBE_CHUNKS, box)).toBeUndefined();
    expect(clipToAxes(HYPERCUBE_CHUNKS, box)).toEqual(box);
  });

  test("keeps points from 0 to 1 and moves all others to 0", () => {
    expect(pointOnAxes(TILE_CHUNKS, [-7.5, 9, 1, 0.5])).toEqual([-7.5, 9, 1, 0.5]);
    expect(pointOnAxes(TILE_CHUNKS, [-7.5, 9, 1.5, -0.5])).toEqual([-7.5, 9, 0, 0]);
    expect(pointOnAxes(TILE_CHUNKS, [0, 0, Number.NaN, Number.POSITIVE_INFINITY])).toEqual([0, 0, 0, 0]);
    expect(pointOnAxes(HYPERCUBE_CHUNKS, [1, 2, 3, 4])).toEqual([1, 2, 3, 4]);
  });
});
