import {
  boxAt,
  boxBetween,
  type Chunk,
  chunkFromVoxels,
  type GeneratorRef,
  generatorRef,
  HYPERCUBE_CHUNKS,
  OverrideTree,
  PLATFORMS_DEFAULTS,
  type Place,
  platformsGenerator,
  RENDER_CACHE_LIMITS,
  RealizationCache,
  type RealizationKey,
  SIMULATION_CACHE_LIMITS,
  uniformChunk,
} from "@orthant/core";
import { codeOf, Prng } from "@orthant/testkit";
import { describe, expect, test } from "vitest";
import { openField } from "./open-field.ts";

/** A chunk that takes `bits` bits a voxel: 512 bytes for each of them, and some hundred besides. */
function chunkOfBits(bits: number): Chunk {
  return chunkFromVoxels(Uint16Array.from({ length: 4096 }, (_, index) => index % 2 ** bits));
}

function keyOf(place: Place, epoch = 0): RealizationKey {
  const [x, y, z, w] = place;
  return { epoch, x, y, z, w, profile: "render", versionHash: 1n };
}

function cacheOf(softBytes: number, hardBytes: number): RealizationCache {
  return new RealizationCache({ render: { softBytes, hardBytes } });
}

describe("cache limits", () => {
  test("are those of the specification unless others are given", () => {
    expect(RENDER_CACHE_LIMITS).toEqual({ softBytes: 268_435_456, hardBytes: 402_653_184 });
    expect(SIMULATION_CACHE_LIMITS).toEqual({ softBytes: 67_108_864, hardBytes: 100_663_296 });
  });

  test("hold for every insertion, and for each profile alone", () => {
    const cache = cacheOf(20_000, 30_000);
    const prng = new Prng(41);
    const chunks = [1, 2, 3, 4, 5, 6].map(chunkOfBits);
    for (let round = 0; round < 2000; round++) {
      if (prng.chance(0.1)) cache.startTick(round);
      cache.put(keyOf([prng.between(0, 99), 0, 0, 0]), prng.pick(chunks));
      expect(cache.bytesOf("render")).toBeLessThanOrEqual(30_000);
    }
    expect(cache.countOf("render")).toBeGreaterThan(5);
    expect(cache.bytesOf("simulation")).toBe(0);
  });

  test("let what is used in this tick stay above the soft limit, and nothing older", () => {
    const cache = cacheOf(6_000, 60_000);
    for (let x = 0; x < 10; x++) cache.put(keyOf([x, 0, 0, 0]), chunkOfBits(3));
    expect(cache.countOf("render")).toBe(10);
    cache.startTick(1);
    cache.get(keyOf([4, 0, 0, 0]));
    cache.put(keyOf([10, 0, 0, 0]), chunkOfBits(3));
    expect(cache.bytesOf("render")).toBeLessThanOrEqual(6_000);
    expect(cache.get(keyOf([4, 0, 0, 0]))).toBeDefined();
    expect(cache.get(keyOf([10, 0, 0, 0]))).toBeDefined();
  });

  test("refuse a chunk that alone is too large", () => {
    const cache = cacheOf(500, 1000);
    expect(cache.put(keyOf([0, 0, 0, 0]), chunkOfBits(4))).toBe(false);
    expect(cache.countOf("render")).toBe(0);
  });
});

describe("eviction", () => {
  test("takes the coldest of equals", () => {
    const cache = cacheOf(5_000, 5_000);
    for (let x = 0; x < 6; x++) {
      cache.startTick(x);
      cache.put(keyOf([x, 0, 0, 0]), chunkOfBits(1));
    }
    cache.startTick(10);
    cache.get(keyOf([0, 0, 0, 0]));
    cache.put(keyOf([6, 0, 0, 0]), chunkOfBits(1));
    cache.startTick(11);
    cache.put(keyOf([7, 0, 0, 0]), chunkOfBits(1));
    const kept = Array.from({ length: 8 }, (_, x) => cache.get(keyOf([x, 0, 0, 0])) !== undefined);
    expect(kept).toEqual([true, false, true, true, true, true, true, true]);
  });

  test("prefers a large cold entry to a small one that is a little colder", () => {
    const cache = cacheOf(9_000, 9_000);
    cache.startTick(1);
    cache.put(keyOf([1, 0, 0, 0]), chunkOfBits(1));
    cache.startTick(2);
    cache.put(keyOf([2, 0, 0, 0]), chunkOfBits(8));
    cache.startTick(3);
    cache.put(keyOf([3, 0, 0, 0]), chunkOfBits(1));
    cache.startTick(4);
    cache.put(keyOf([4, 0, 0, 0]), chunkOfBits(6));
    const kept = [1, 2, 3, 4].filter((x) => cache.get(keyOf([x, 0, 0, 0])) !== undefined);
    expect(kept).toEqual([1, 3, 4]);
  });

  test("never takes what is pinned, even if nothing else can be kept then", () => {
    const cache = cacheOf(2_000, 2_000);
    const pinned: readonly Place[] = [
      [0, 0, 0, 0],
      [1, 0, 0, 0],
    ];
    for (const place of pinned) {
      cache.pin("render", place);
      expect(cache.put(keyOf(place), chunkOfBits(1))).toBe(true);
    }
    cache.pin("render", [0, 0, 0, 0]);
    cache.startTick(5);
    expect(cache.put(keyOf([2, 0, 0, 0]), chunkOfBits(1))).toBe(false);
    expect(pinned.every((place) => cache.get(keyOf(place)) !== undefined)).toBe(true);
    for (const place of pinned) cache.unpin("render", place);
    expect(cache.put(keyOf([2, 0, 0, 0]), chunkOfBits(1)), "one of the two is free now").toBe(true);
    expect(cache.get(keyOf([0, 0, 0, 0])), "the other one is pinned twice").toBeDefined();
    expect(cache.get(keyOf([1, 0, 0, 0]))).toBeUndefined();
    cache.unpin("render", [0, 0, 0, 0]);
    expect(codeOf(() => cache.unpin("render", [0, 0, 0, 0]))).toBe("ORT_ARGUMENT");
  });
});

describe("what a cached chunk is known by", () => {
  test("is its place, its profile and the version of its generator", () => {
    const cache = new RealizationCache();
    const key = keyOf([1, 2, 3, 4]);
    const chunk = chunkOfBits(2);
    cache.put(key, chunk);
    expect(cache.get(key)).toBe(chunk);
    expect(cache.get({ ...key, x: 2 })).toBeUndefined();
    expect(cache.get({ ...key, profile: "simulation" })).toBeUndefined();
    expect(cache.get({ ...key, versionHash: 2n })).toBeUndefined();
    expect(cache.get({ ...key, epoch: 1 }), "a snapshot that is not there").toBeUndefined();
  });

  test("is also its snapshot: an edit ends what overlaps, and only that", () => {
    const cache = new RealizationCache();
    for (let x = 0; x < 10; x++) cache.put(keyOf([x, 0, 0, 0]), chunkOfBits(1));
    const epoch = cache.advance([boxBetween([2, 0, 0, 0], [4, 1, 1, 1]), boxAt([8, 5, 0, 0])]);
    const kept = Array.from({ length: 10 }, (_, x) => x).filter(
      (x) => cache.get(keyOf([x, 0, 0, 0], epoch)) !== undefined,
    );
    expect(kept).toEqual([0, 1, 4, 5, 6, 7, 8, 9]);
    expect(cache.countOf("render"), "the old snapshot is held by nobody").toBe(8);
    const all = cache.advance([boxBetween([-(2 ** 31), 0, 0, 0], [2 ** 31, 1, 1, 1])]);
    expect(cache.countOf("render")).toBe(0);
    expect(cache.get(keyOf([0, 0, 0, 0], all))).toBeUndefined();
  });

  test("serves a snapshot that is held until it is released", () => {
    const cache = new RealizationCache();
    const old = chunkOfBits(1);
    const young = chunkOfBits(2);
    cache.put(keyOf([0, 0, 0, 0]), old);
    cache.hold(0);
    const epoch = cache.advance([boxAt([0, 0, 0, 0])]);
    cache.put(keyOf([0, 0, 0, 0], epoch), young);
    expect([cache.get(keyOf([0, 0, 0, 0], 0)), cache.get(keyOf([0, 0, 0, 0], epoch))]).toEqual([old, young]);
    // What the old snapshot realizes late is right for it alone where an edit came between, and else for both.
    cache.advance([boxAt([5, 0, 0, 0])]);
    cache.put(keyOf([5, 0, 0, 0], 0), old);
    cache.put(keyOf([6, 0, 0, 0], 0), old);
    expect(cache.get(keyOf([5, 0, 0, 0], 2))).toBeUndefined();
    expect(cache.get(keyOf([6, 0, 0, 0], 2))).toBe(old);
    expect(cache.countOf("render")).toBe(4);
    cache.release(0);
    expect(cache.countOf("render")).toBe(2);
    expect(cache.get(keyOf([0, 0, 0, 0], 0))).toBeUndefined();
    expect(cache.put(keyOf([0, 0, 0, 0], 0), old), "a retired snapshot").toBe(false);
    expect(codeOf(() => cache.hold(0))).toBe("ORT_ARGUMENT");
    expect(codeOf(() => cache.release(0))).toBe("ORT_ARGUMENT");
  });

  test("agrees with a plain list of snapshots, whatever is edited, held and released", () => {
    const prng = new Prng(42);
    const cache = new RealizationCache();
    const snapshots: (readonly number[])[] = [[0, 0, 0, 0, 0, 0]];
    const held: number[] = [];
    for (let round = 0; round < 3000; round++) {
      const newest = snapshots.length - 1;
      const kind = prng.below(6);
      if (kind === 0) {
        const at = prng.below(6);
        const next = [...(snapshots[newest] ?? [])];
        next[at] = prng.below(1000);
        snapshots.push(next);
        cache.advance([boxAt([at, 0, 0, 0])]);
      } else if (kind === 1 && held.length < 3) {
        cache.hold(newest);
        held.push(newest);
      } else if (kind === 2 && held.length > 0)
        cache.release(held.splice(prng.below(held.length), 1)[0] ?? 0);
      else {
        const epoch = prng.pick([newest, ...held]);
        const x = prng.below(6);
        const expected = uniformChunk(4096, snapshots[epoch]?.[x] ?? 0);
        const cached = cache.get(keyOf([x, 0, 0, 0], epoch));
        if (cached !== undefined && cached !== expected)
          expect.fail(`round ${round}: epoch ${epoch}, place ${x}`);
        cache.put(keyOf([x, 0, 0, 0], epoch), expected);
      }
    }
    expect(cache.countOf("render")).toBeLessThanOrEqual(24);
  });
});

describe("a world field's cache", () => {
  const ref: GeneratorRef = generatorRef(platformsGenerator, PLATFORMS_DEFAULTS, 9n);
  const edge: Place = [17, -1, 0, 0];

  test("gives the very same chunk until somebody edits it, and keeps all others then", () => {
    const field = openField(ref);
    const first = field.realizeChunk(...edge, "render");
    const other = field.realizeChunk(17, -1, 1, 0, "render");
    expect(field.realizeChunk(...edge, "render")).toBe(first);
    const edited = field.setVoxels([{ voxel: [17 * 8, -1, 0, 0], material: 11 }]).field;
    expect(edited.realizeChunk(...edge, "render")).not.toBe(first);
    expect(edited.realizeChunk(17, -1, 1, 0, "render")).toBe(other);
    const count = edited.cache.countOf("render");
    edited.withOverrides(OverrideTree.VIRGIN).realizeChunk(17, -1, 1, 0, "render");
    expect(edited.cache.countOf("render")).toBe(count);
  });

  test("holds old snapshots as long as they are asked to", () => {
    const field = openField(ref);
    const first = field.realizeChunk(...edge, "render");
    field.hold();
    const edited = field.setVoxels([{ voxel: [17 * 8, -1, 0, 0], material: 11 }]).field;
    expect(field.realizeChunk(...edge, "render")).toBe(first);
    field.release();
    expect(field.realizeChunk(...edge, "render")).not.toBe(first);
    expect(field.realizeChunk(...edge, "render").equals(first)).toBe(true);
    expect(edited.cache.countOf("render")).toBe(0);
  });

  test("takes next to nothing for uniform chunks", () => {
    const field = openField(ref, HYPERCUBE_CHUNKS);
    for (let x = 0; x < 1000; x++) field.realizeChunk(x - 500, 40, 0, 0, "simulation");
    expect(field.cache.bytesOf("simulation")).toBeLessThan(200_000);
  });
});
