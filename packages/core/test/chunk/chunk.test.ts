import {
  AIR,
  type Chunk,
  type ChunkShape,
  CUBE_CHUNKS,
  chunkFromVoxels,
  chunkShape,
  emptyChunk,
  HYPERCUBE_CHUNKS,
  TILE_CHUNKS,
  uniformChunk,
} from "@orthant/core";
import { chunkFromHalfBytes, diffChunks, lazyChunk, type VoxelEdit } from "@orthant/core/chunk";
import { positionInChunk } from "@orthant/core/internal";
import { boxBetween, boxContains, positionFrom } from "@orthant/core/lattice";
import { codeOf, Prng } from "@orthant/testkit";
import { describe, expect, test, vi } from "vitest";
import { randomVoxels } from "./random-voxels.ts";

const small = chunkFromVoxels(Uint16Array.of(0, 0, 5, 5, 300, 0, 5, 0));

describe("a chunk that is decoded later", () => {
  test("is decoded once, when its blocks are first used, and equals the chunk it stands for", () => {
    const realize = vi.fn(() => small);
    const later = lazyChunk({ volume: 8, isMixed: true, memoryBytes: 0, realize });
    expect([later.volume, later.uniformBlock, later.isEmpty]).toEqual([8, undefined, false]);
    expect(later.equals(emptyChunk(8))).toBe(false);
    expect(realize).not.toHaveBeenCalled();
    expect(later.get(4)).toBe(300);
    expect(later.equals(small)).toBe(true);
    expect(small.equals(later)).toBe(true);
    expect([...later.set(0, 7).voxels()]).toEqual([...small.set(0, 7).voxels()]);
    expect([later.form, later.byteLength]).toEqual([small.form, small.byteLength]);
    expect(realize).toHaveBeenCalledTimes(1);
  });

  test("is decoded to find out whether it has only one block, if that is unknown", () => {
    const later = lazyChunk({
      volume: 8,
      isMixed: false,
      memoryBytes: 0,
      realize: () => uniformChunk(8, 5),
    });
    expect(later.uniformBlock).toBe(5);
    expect(later.equals(uniformChunk(8, 5))).toBe(true);
  });
});

describe("a chunk of half bytes", () => {
  test("has the blocks of a table, eight in each word, and equals the chunk of its voxels", () => {
    const prng = new Prng(3);
    for (const states of [1, 2, 3, 5, 8, 9, 16]) {
      // Two values may mean the same block.
      const blocks = Uint16Array.from({ length: 16 }, () => prng.below(states) * 4_000);
      const values = Array.from({ length: 4_096 }, (_, at) =>
        prng.below(4) === 0 ? prng.below(16) : at & 3,
      );
      const words = new Uint32Array(512);
      for (const [at, value] of values.entries())
        words[at >>> 3] = (words[at >>> 3] as number) | (value << ((at & 7) * 4));
      const chunk = chunkFromHalfBytes(words, blocks);
      const plain = chunkFromVoxels(Uint16Array.from(values, (value) => blocks[value] as number));
      expect(chunk.equals(plain)).toBe(true);
      expect([chunk.form, chunk.byteLength]).toEqual([plain.form, plain.byteLength]);
    }
    expect(codeOf(() => chunkFromHalfBytes(new Uint32Array(2), new Uint16Array(15)))).toBe("ORT_ARGUMENT");
    expect(codeOf(() => chunkFromHalfBytes(new Uint32Array(0), new Uint16Array(16)))).toBe("ORT_ARGUMENT");
  });
});

describe("a chunk", () => {
  test("counts the voxels that differ from the one before", () => {
    expect(uniformChunk(8, 5).countSteps()).toBe(0);
    expect(small.countSteps()).toBe(5);
    const prng = new Prng(4);
    for (const volume of [1, 2, 31, 64, 4_096]) {
      for (const states of [1, 2, 3, 5, 9, 17, 40, 90, 300, 5_000]) {
        const voxels = Uint16Array.from({ length: volume }, () => prng.below(states));
        const steps = voxels.reduce((sum, block, at) => sum + Number(at > 0 && block !== voxels[at - 1]), 0);
        const chunk = chunkFromVoxels(voxels);
        expect(chunk.countSteps(), `${volume} voxels, ${states} blocks`).toBe(steps);
        expect(chunk.countSteps(steps), "as many as allowed").toBe(steps);
        if (steps > 0) expect(chunk.countSteps(steps - 1)).toBeGreaterThan(steps - 1);
        expect(chunk.blockCount).toBe(new Set(voxels).size);
      }
    }
  });

  test("returns its voxels one by one, as a copy and in order", () => {
    const voxels = [0, 0, 5, 5, 300, 0, 5, 0];
    expect(small.volume).toBe(8);
    expect(voxels.map((_, index) => small.get(index))).toEqual(voxels);
    const copy = small.voxels();
    expect([...copy]).toEqual(voxels);
    copy.fill(9);
    expect([...small.voxels()]).toEqual(voxels);
    const visited: number[][] = [];
    small.forEach((block, index) => {
      visited.push([index, block]);
    });
    expect(visited).toEqual(voxels.map((block, index) => [index, block]));
    expect([...small.blocks()]).toEqual([0, 5, 300]);
  });

  test("does not keep the array that it was made from, and does not expose its own", () => {
    const voxels = Uint16Array.of(1, 2, 3, 4);
    const chunk = chunkFromVoxels(voxels);
    voxels.fill(9);
    chunk.blocks().fill(9);
    chunk.packedIndices().fill(9n);
    expect([...chunk.voxels()]).toEqual([1, 2, 3, 4]);
  });

  test("knows whether it is empty or of one block", () => {
    expect([emptyChunk(8).isEmpty, emptyChunk(8).uniformBlock]).toEqual([true, AIR]);
    expect([uniformChunk(8, 7).isEmpty, uniformChunk(8, 7).uniformBlock]).toEqual([false, 7]);
    expect([small.isEmpty, small.uniformBlock]).toEqual([false, undefined]);
  });

  test("a chunk of one block is always the same object, however it was made", () => {
    const stone = uniformChunk(4096, 1);
    expect(uniformChunk(4096, 1)).toBe(stone);
    expect(chunkFromVoxels(new Uint16Array(4096).fill(1))).toBe(stone);
    expect(stone.set(9, 2).set(9, 1)).toBe(stone);
    expect(emptyChunk(4096).fill(HYPERCUBE_CHUNKS, boxBetween([0, 0, 0, 0], [8, 8, 8, 8]), 1)).toBe(stone);
    expect(uniformChunk(1024, 1)).not.toBe(stone);
    expect(uniformChunk(1, 3).set(0, 4)).toBe(uniformChunk(1, 4));
  });

  test("is the same object after an edit that changes nothing", () => {
    expect(small.set(2, 5)).toBe(small);
    expect(small.edit([])).toBe(small);
    expect(
      small.edit([
        { index: 2, block: 9 },
        { index: 2, block: 5 },
      ]),
    ).toBe(small);
    const same = Array.from(small.voxels(), (block, index): VoxelEdit => ({ index, block }));
    expect(small.edit(same)).toBe(small);
    expect(small.fill(chunkShape([2, 2, 2, 1]), boxBetween([0, 1, 0, 0], [2, 2, 1, 1]), 5)).toBe(small);
  });

  test.each([8, 9, 4_096])(
    "a chunk of one block and %i voxels equals its voxels after each of many edits",
    (volume) => {
      const prng = new Prng(volume);
      for (let round = 0; round < 40; round++) {
        const voxels = new Uint16Array(volume).fill(3);
        let chunk = uniformChunk(volume, 3);
        for (let edit = 0; edit < 20; edit++) {
          // Often the same voxels, the first one among them, and often the block that all had.
          const index = prng.below(Math.min(volume, 9));
          const block = 1 + prng.below(4);
          const before = chunk;
          const blockBefore = chunk.get(index);
          voxels[index] = block;
          chunk = chunk.set(index, block);
          const isUniform = voxels.every((one) => one === voxels[0]);
          expect(chunk.get(index)).toBe(block);
          expect(before.get(index)).toBe(blockBefore);
          expect(chunk.uniformBlock).toBe(isUniform ? voxels[0] : undefined);
          if (isUniform) expect(chunk).toBe(uniformChunk(volume, voxels[0] as number));
        }
        const wanted = chunkFromVoxels(voxels);
        expect(chunk.voxels()).toEqual(voxels);
        expect(chunk.equals(wanted)).toBe(true);
        expect([chunk.form, chunk.byteLength]).toEqual([wanted.form, wanted.byteLength]);
        expect([chunk.blocks(), chunk.packedIndices()]).toEqual([wanted.blocks(), wanted.packedIndices()]);
      }
    },
  );

  test("stays unchanged when an edit creates another", () => {
    const edited = small.set(0, 77);
    expect(small.get(0)).toBe(0);
    expect([...edited.voxels()]).toEqual([77, 0, 5, 5, 300, 0, 5, 0]);
  });

  test("refuses indices out of range and blocks beyond 16 bits", () => {
    for (const index of [-1, 8, 0.5, Number.NaN, 2 ** 32]) {
      const edit = { index, block: 1 };
      expect(codeOf(() => small.get(index))).toBe("ORT_ARGUMENT");
      expect(codeOf(() => small.set(index, 1))).toBe("ORT_ARGUMENT");
      expect(codeOf(() => small.edit([edit]))).toBe("ORT_ARGUMENT");
      expect(codeOf(() => small.edit([edit, edit, edit, edit, edit]))).toBe("ORT_ARGUMENT");
      expect(codeOf(() => emptyChunk(8).get(index))).toBe("ORT_ARGUMENT");
    }
    for (const block of [-1, 65_536, 0.5, Number.NaN]) {
      const edit = { index: 0, block };
      expect(codeOf(() => small.set(0, block))).toBe("ORT_ARGUMENT");
      expect(codeOf(() => small.edit([edit, edit, edit, edit, edit]))).toBe("ORT_ARGUMENT");
      expect(codeOf(() => uniformChunk(8, block))).toBe("ORT_ARGUMENT");
    }
  });

  test("[C12] has 1 to 65,536 voxels", () => {
    expect(chunkFromVoxels(new Uint16Array(65_536)).volume).toBe(65_536);
    const everyBlock = chunkFromVoxels(Uint16Array.from({ length: 65_536 }, (_, index) => 65_535 - index));
    expect([everyBlock.get(0), everyBlock.get(65_535), everyBlock.form]).toEqual([65_535, 0, "dense16"]);
    expect(everyBlock.set(65_535, 1).blocks().length).toBe(65_535);
    for (const volume of [0, 65_537]) {
      expect(codeOf(() => chunkFromVoxels(new Uint16Array(volume)))).toBe("ORT_ARGUMENT");
      expect(codeOf(() => emptyChunk(volume))).toBe("ORT_ARGUMENT");
    }
  });
});

describe("filling a box of a chunk", () => {
  test.each<[name: string, shape: ChunkShape]>([
    ["four dimensions", HYPERCUBE_CHUNKS],
    ["three dimensions", CUBE_CHUNKS],
    ["tiles", TILE_CHUNKS],
    ["odd extents", chunkShape([3, 5, 2, 4])],
  ])("[C2] changes the cells in the box and no others: %s", (_name, shape) => {
    const prng = new Prng(11);
    for (let round = 0; round < 20; round++) {
      const min = positionFrom((axis) => prng.below(shape.extents[axis]));
      const box = boxBetween(
        min,
        positionFrom((axis) => prng.between(min[axis] + 1, shape.extents[axis])),
      );
      const before = randomVoxels(prng, shape.volume);
      const block = prng.below(4);
      const filled = chunkFromVoxels(before).fill(shape, box, block);
      const expected = before.map((old, index) =>
        boxContains(box, positionInChunk(shape, index)) ? block : old,
      );
      expect(filled.voxels(), `round ${round}`).toEqual(expected);
    }
  });

  test("refuses a box that leaves the chunk, and a shape of another volume", () => {
    const outside = boxBetween([0, 0, 0, 0], [9, 1, 1, 1]);
    const negative = boxBetween([-1, 0, 0, 0], [1, 1, 1, 1]);
    const empty = { min: [1, 0, 0, 0], max: [1, 1, 1, 1] } as const;
    for (const box of [outside, negative, empty]) {
      expect(codeOf(() => emptyChunk(4096).fill(HYPERCUBE_CHUNKS, box, 1))).toBe("ORT_ARGUMENT");
    }
    expect(codeOf(() => emptyChunk(8).fill(HYPERCUBE_CHUNKS, outside, 1))).toBe("ORT_ARGUMENT");
  });
});

describe("the difference of two chunks", () => {
  test.each([2, 3, 5, 9, 17, 33, 100])("finds each change among %d blocks that all stay", (blocks) => {
    const prng = new Prng(13);
    const voxels = Uint16Array.from({ length: 1_001 }, (_, index) => index % blocks);
    const before = chunkFromVoxels(voxels);
    for (let round = 0; round < 20; round++) {
      const after = voxels.slice();
      // Not the first of each block, so that the palette stays.
      for (let edit = 0; edit < 5; edit++) after[prng.between(blocks, 1_000)] = prng.below(blocks);
      const expected = Array.from(after, (block, index) => ({ index, block })).filter(
        ({ index, block }) => voxels[index] !== block,
      );
      expect(diffChunks(before, chunkFromVoxels(after)), `round ${round}`).toEqual(expected);
    }
  });

  test("consists of the edits that turn one into the other", () => {
    const prng = new Prng(12);
    for (let round = 0; round < 30; round++) {
      const before = chunkFromVoxels(randomVoxels(prng, 1024));
      const after: Chunk = prng.chance(0.5)
        ? chunkFromVoxels(randomVoxels(prng, 1024))
        : before.set(prng.below(1024), prng.below(3)).set(prng.below(1024), 65_535);
      const edits = diffChunks(before, after);
      expect(before.edit(edits).equals(after), `round ${round}`).toBe(true);
      expect(edits.every(({ index, block }) => before.get(index) !== block)).toBe(true);
      expect(edits.map(({ index }) => index)).toEqual(edits.map(({ index }) => index).sort((a, b) => a - b));
    }
    expect(diffChunks(small, small)).toEqual([]);
    expect(diffChunks(small, small.set(4, 0))).toEqual([{ index: 4, block: 0 }]);
    expect(codeOf(() => diffChunks(small, emptyChunk(9)))).toBe("ORT_ARGUMENT");
  });
});
