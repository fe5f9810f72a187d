import { type Chunk, chunkFromVoxels, HYPERCUBE_CHUNKS, uniformChunk } from "@orthant/core";
import { GeneratedSpace, type VoxelSource } from "@orthant/core/generate";
import { COLD_AFTER_USES, SIMULATION_CACHE_LIMITS } from "@orthant/core/internal";
import { GeneratedChunkCache, RENDER_CACHE_LIMITS } from "@orthant/core/tree";
import { codeOf, Prng } from "@orthant/testkit";
import { describe, expect, test } from "vitest";
import { openState } from "./open-state.ts";

/** Returns a chunk with `bits` bits per voxel: 512 bytes for each bit, and a little more. */
function chunkOfBits(bits: number): Chunk {
  return chunkFromVoxels(Uint16Array.from({ length: 4096 }, (_, index) => index % 2 ** bits));
}

/** Returns a cache over a generator that counts its runs; `y` is the size of a chunk in bits per voxel. */
function cacheOf(softBytes: number, hardBytes: number): { cache: GeneratedChunkCache; runs: () => number } {
  let runs = 0;
  const source: VoxelSource = {
    realize: (_x, y) => {
      runs++;
      return y === 0 ? uniformChunk(4096, 1) : chunkOfBits(y);
    },
    repeatedIn: () => undefined,
    contentBounds: (box) => box,
  };
  const space = new GeneratedSpace(source, HYPERCUBE_CHUNKS);
  return { cache: new GeneratedChunkCache(space, { softBytes, hardBytes }), runs: () => runs };
}

/** Uses one cached chunk until all others are cold. */
function useOnly(cache: GeneratedChunkCache, x: number): void {
  for (let use = 0; use <= COLD_AFTER_USES; use++) cache.at(x, 1, 0, 0);
}

describe("cache of generated chunks", () => {
  test("has the limits of the specification by default", () => {
    expect(RENDER_CACHE_LIMITS).toEqual({ softBytes: 268_435_456, hardBytes: 402_653_184 });
    expect(SIMULATION_CACHE_LIMITS).toEqual({ softBytes: 67_108_864, hardBytes: 100_663_296 });
  });

  test("generates a chunk once while there is room", () => {
    const { cache, runs } = cacheOf(20_000, 30_000);
    const first = cache.at(1, 1, 0, 0);
    expect(cache.at(1, 1, 0, 0)).toBe(first);
    expect(runs()).toBe(1);
    expect(cache.size).toBe(1);
  });

  test("never takes more than its hard limit", () => {
    const { cache } = cacheOf(20_000, 30_000);
    const prng = new Prng(41);
    for (let round = 0; round < 2000; round++) {
      cache.at(prng.between(0, 99), prng.between(0, 6), 0, 0);
      expect(cache.bytes).toBeLessThanOrEqual(30_000);
    }
    expect(cache.bytes).toBeGreaterThan(20_000);
  });

  test("keeps chunks in use above its soft limit, and shrinks to it when they turn cold", () => {
    const { cache, runs } = cacheOf(6_000, 60_000);
    for (let x = 0; x < 20; x++) cache.at(x, 1, 0, 0);
    expect(cache.size).toBe(20);
    useOnly(cache, 4);
    cache.at(20, 1, 0, 0);
    expect(cache.bytes).toBeLessThanOrEqual(6_000);
    const before = runs();
    cache.at(4, 1, 0, 0);
    cache.at(20, 1, 0, 0);
    expect(runs()).toBe(before);
    cache.at(0, 1, 0, 0);
    expect(runs()).toBe(before + 1);
  });

  test("evicts the least recently used of equal chunks", () => {
    const { cache, runs } = cacheOf(10_500, 10_500);
    for (let x = 0; x < 7; x++) cache.at(x, 1, 0, 0);
    cache.at(0, 1, 0, 0);
    cache.at(7, 1, 0, 0);
    const before = runs();
    for (const x of [0, 2, 3, 4, 5, 6, 7]) cache.at(x, 1, 0, 0);
    expect(runs()).toBe(before);
    cache.at(1, 1, 0, 0);
    expect(runs()).toBe(before + 1);
  });

  test("evicts a large chunk before a small one that is a little older", () => {
    const { cache, runs } = cacheOf(9_000, 9_000);
    cache.at(1, 1, 0, 0);
    cache.at(2, 8, 0, 0);
    cache.at(3, 1, 0, 0);
    cache.at(4, 6, 0, 0);
    const before = runs();
    cache.at(1, 1, 0, 0);
    cache.at(3, 1, 0, 0);
    cache.at(4, 6, 0, 0);
    expect(runs()).toBe(before);
    cache.at(2, 8, 0, 0);
    expect(runs()).toBe(before + 1);
  });

  test("returns a chunk larger than its hard limit without keeping it", () => {
    const { cache } = cacheOf(500, 1000);
    expect(cache.at(0, 4, 0, 0).volume).toBe(4096);
    expect(cache.size).toBe(0);
  });

  test("counts nothing for the shared voxels of uniform chunks", () => {
    const { cache } = cacheOf(1_000_000, 1_000_000);
    for (let x = 0; x < 1000; x++) cache.at(x, 0, 0, 0);
    expect(cache.bytes).toBeLessThan(200_000);
  });

  test.each([
    [2, 1],
    [-1, 1],
    [Number.NaN, 1],
  ])("refuses limits of %d and %d bytes", (softBytes, hardBytes) => {
    expect(codeOf(() => cacheOf(softBytes, hardBytes))).toBe("ORT_ARGUMENT");
  });
});

describe("states of a world", () => {
  test("share one cache, so an edit or an older snapshot never makes a chunk cold", () => {
    const state = openState();
    const floor = state.realizeChunk(3, -1, 0, 0);
    const edited = state.setVoxels([{ voxel: [0, 5, 0, 0], block: 3 }]).state;
    expect(edited.realizeChunk(3, -1, 0, 0)).toBe(floor);
    const other = state.withOverrides(edited.overrides);
    expect(other.realizeChunk(3, -1, 0, 0)).toBe(floor);
    expect(state.realizeChunk(3, -1, 0, 0)).toBe(floor);
  });
});
