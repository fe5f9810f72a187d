import {
  type Box,
  box,
  type Chunk,
  CUBE_CHUNKS,
  chunkFromVoxels,
  defineGenerator,
  emptyChunk,
  GeneratorRegistry,
  systemTime,
  terrain,
} from "@orthant/core";
import type { SeededGenerator, VoxelSource } from "@orthant/core/generate";
import { sleep } from "@orthant/core/time";
import { MemoryDisk } from "@orthant/disk";
import { codeOf } from "@orthant/testkit";
import { generationPool } from "@orthant/worker-pool/node";
import { createWorld, openWorld } from "@orthant/world";
import { createWorldEngine, openWorldEngine } from "@orthant/world/engine";
import { describe, expect, test } from "vitest";

const stripes = defineGenerator({ id: "test:stripes", version: 1, dimensions: 3, open: () => () => 0 });

/** Stone below 0 with a stripe in the first row, after a moment. */
const slowGenerator = {
  ...stripes.generator,
  open: (_parameters: unknown, _seed: bigint, { volume }: { readonly volume: number }): VoxelSource => ({
    isAsynchronous: true,
    repeatedIn: () => undefined,
    async realize(_x, y): Promise<Chunk> {
      await sleep(systemTime, 2);
      if (y >= 0) return emptyChunk(volume);
      return chunkFromVoxels(new Uint16Array(volume).fill(1).fill(4, 0, 16));
    },
    contentBounds: (box: Box) => box,
  }),
};
const generator: SeededGenerator = { ref: stripes({ seed: 1n }).ref, generator: slowGenerator };
const generators = new GeneratorRegistry([slowGenerator]);

describe("a world with an asynchronous generator", () => {
  test("is read, edited, saved and opened again", async () => {
    const disk = new MemoryDisk();
    const world = await createWorld(disk, { dimensions: 3, generator });
    expect(await world.get([0, -16, 0])).toBe(4);
    expect(await world.get([0, -1, 0])).toBe(1);
    expect(await world.set([5, -3, 5], 9)).toMatchObject({ status: "applied" });
    expect(await world.set([5, -3, 6], 1)).toMatchObject({ status: "unchanged" });
    expect(await world.get([5, -3, 5])).toBe(9);
    await world.close();
    const again = await openWorld(disk, { dimensions: 3, generators });
    expect(await again.get([5, -3, 5])).toBe(9);
    expect(await again.get([6, -3, 5])).toBe(1);
    await again.close();
  });

  test("is simulated where no chunk was edited", async () => {
    const world = await createWorld(new MemoryDisk(), { dimensions: 3, generator });
    const read: (number | undefined)[] = [];
    const simulation = world.simulate({
      systems: {
        read: ({ world: reader }) => read.push(reader.voxelAt([0, -16, 0]), reader.voxelAt([1, 70, 1])),
      },
      isPaused: true,
    });
    simulation.keepActive(box([0, 0, 0], [1, 1, 1]));
    await simulation.whenActive();
    await simulation.advance();
    expect(read).toEqual([4, 0]);
    await world.close();
  });

  test("replays its journal after a crash", async () => {
    const disk = new MemoryDisk();
    const options = { generators, durability: "journal", autosave: false } as const;
    const lost = await createWorldEngine(disk, { shape: CUBE_CHUNKS, generator: generator.ref }, options);
    await lost.edit([{ voxel: [5, -3, 5, 0], block: 9 }]);
    await lost.fill({ min: [0, -8, 0, 0], max: [40, -4, 3, 1] }, 7);
    // Only the disk survives.
    const found = await openWorldEngine(new MemoryDisk(disk.image()), options);
    expect(await found.get([5, -3, 5, 0])).toBe(9);
    expect(await found.get([39, -5, 2, 0])).toBe(7);
    expect(await found.get([39, -4, 2, 0])).toBe(1);
    await found.close();
  });

  test("answers synchronous calls from memory, and never with wrong voxels", async () => {
    const world = await createWorld(new MemoryDisk(), { dimensions: 3, generator });
    await world.set([0, 100, 0], 5);
    expect(world.voxelAt([0, 100, 0])).toBe(5);
    expect(world.voxelAt([0, 80, 0])).toBeUndefined();
    expect(world.dataAt([0, 80, 0])).toBeUndefined();
    expect(world.chunkAt([0, 5, 0])).toBeUndefined();
    expect(codeOf(() => world.engine.state.voxelAt(0, 80, 0, 0))).toBe("ORT_NOT_LOADED");
    await world.chunk([0, 5, 0]);
    expect(world.voxelAt([0, 80, 0])).toBe(0);
    await world.close();
  });

  test("copies, restores and describes what it generates", async () => {
    const world = await createWorld(new MemoryDisk(), { dimensions: 3, generator });
    const { engine } = world;
    const before = await engine.save();
    await engine.copy({ min: [0, -16, 0, 0], max: [16, -14, 1, 1] }, [0, 50, 0, 0]);
    expect(await world.get([3, 50, 0])).toBe(4);
    await engine.restoreRegion({ min: [-2, -2, -2, 0], max: [4, 8, 4, 1] }, before);
    expect(await world.get([3, 50, 0])).toBe(0);
    const tree = await engine.region({ min: [0, -1, 0, 0], max: [2, 1, 1, 1] });
    expect(tree.at(0, 0, 0, 0)).toBeUndefined();
    expect(tree.at(1, -1, 0, 0)).toMatchObject({ volume: CUBE_CHUNKS.volume });
    await world.close();
  });
});

test("a world with a pool has the same chunks, before and after edits", async () => {
  const pool = generationPool({ workers: 1 });
  try {
    const { ref } = terrain({ seed: 9n });
    const pooled = await createWorldEngine(
      new MemoryDisk(),
      { shape: CUBE_CHUNKS, generator: ref },
      { generation: pool },
    );
    const plain = await createWorldEngine(new MemoryDisk(), { shape: CUBE_CHUNKS, generator: ref });
    const box: Box = { min: [-2, -2, -2, 0], max: [2, 2, 2, 1] };
    for (const world of [pooled, plain]) {
      await world.fill({ min: [-20, -3, -20, 0], max: [20, 3, 20, 1] }, 7);
      await world.set([0, 0, 0, 0], 5);
    }
    expect((await pooled.region(box)).equals(await plain.region(box))).toBe(true);
    const snapshot = pooled.snapshot();
    expect((await snapshot.region(box)).equals(await plain.region(box))).toBe(true);
    expect((await snapshot.chunk([5, -3, 5, 0])).equals(await plain.chunk([5, -3, 5, 0]))).toBe(true);
    await snapshot.close();
    expect(pooled.state.overrides.equals(plain.state.overrides)).toBe(true);
    await pooled.close();
    await plain.close();
  } finally {
    await pool.close();
  }
});

test("a world refuses something else than a pool", async () => {
  const options = { generation: 5 } as unknown as { generation: never };
  await expect(createWorld(new MemoryDisk(), { dimensions: 3 }, options)).rejects.toThrow(
    "generation is 5 (a number); it is a pool",
  );
});
