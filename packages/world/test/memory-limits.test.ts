import { type Chunk, chunkFromVoxels, type Position } from "@orthant/core";
import { boxBetween } from "@orthant/core/lattice";
import { MemoryDisk } from "@orthant/disk";
import { FakeTime, Prng } from "@orthant/testkit";
import { createWorldEngine, type EngineOptions, openWorldEngine } from "@orthant/world/engine";
import { describe, expect, test } from "vitest";
import { SlowDisk } from "./slow-disk.ts";

const VOLUME = 4_096;
const ALL = boxBetween([0, 0, 0, 0], [64, 4, 4, 4]);
const KIBIBYTE = 1_024;

/** Returns a chunk of this many different blocks, with data of one byte on some voxels. */
function randomChunk(prng: Prng, blocks: number, withData: number): Chunk {
  const voxels = Uint16Array.from(
    { length: VOLUME },
    (_, index) => 1 + (index < blocks ? index : prng.below(blocks)),
  );
  const data = Array.from({ length: withData }, (_, index) => ({ index, data: prng.bytes(1) }));
  return chunkFromVoxels(voxels).editData(data);
}

const quiet = (more: EngineOptions = {}): EngineOptions => ({ time: new FakeTime(), ...more });

describe("the memory that a world counts", () => {
  test("is that of the same chunks read again, whatever edits led to them", async () => {
    const prng = new Prng(5);
    const disk = new MemoryDisk();
    const world = await createWorldEngine(disk, {}, quiet({ autosave: false }));
    for (let round = 0; round < 60; round++) {
      const position: Position = [prng.below(12), prng.below(2), 0, 0];
      const withData = prng.chance(0.5) ? prng.below(VOLUME) : 0;
      const chunk = prng.chance(0.2)
        ? chunkFromVoxels(new Uint16Array(VOLUME))
        : randomChunk(prng, 300 + prng.below(2_000), withData);
      await world.setChunks([[position, chunk]]);
    }
    await world.load(ALL);
    const counted = world.loadedBytes();
    await world.close();
    const again = await openWorldEngine(disk, quiet({ readOnly: true }));
    await again.load(ALL);
    expect(again.loadedBytes()).toBe(counted);
    expect(counted).toBeGreaterThan(100 * KIBIBYTE);
    await again.close();
  });

  test("stays within the limit when regions grow while they are in memory", async () => {
    const prng = new Prng(6);
    const loadedBytesMax = 256 * KIBIBYTE;
    const world = await createWorldEngine(new MemoryDisk(), {}, quiet({ loadedBytesMax }));
    for (let x = 0; x < 64; x += 4) await world.load(boxBetween([x, 0, 0, 0], [x + 4, 4, 4, 4]));
    let most = 0;
    for (let x = 0; x < 60; x++) {
      await world.setChunks([[[x, 0, 0, 0], randomChunk(prng, 2_000, VOLUME)]]);
      most = Math.max(most, world.loadedBytes());
    }
    expect(most).toBeGreaterThan(loadedBytesMax / 2);
    expect(most).toBeLessThanOrEqual(loadedBytesMax);
    for (let x = 0; x < 60; x++) expect((await world.chunk([x, 0, 0, 0])).data.size).toBe(VOLUME);
    await world.close();
  });
});

describe("a world with much that is unsaved", () => {
  test("saves at once when that takes a quarter of its memory, without waiting for the time of a save", async () => {
    const world = await createWorldEngine(new MemoryDisk(), {}, quiet({ loadedBytesMax: 400 * KIBIBYTE }));
    // Its epoch is saved.
    await world.set([0, 0, 0, 0], 1);
    const { generation } = world;
    const prng = new Prng(7);
    for (let x = 0; x < 3; x++) await world.setChunks([[[x * 4, 0, 0, 0], randomChunk(prng, 2_000, 0)]]);
    await settled();
    expect(world.generation).toBe(generation);
    for (let x = 3; x < 9; x++) await world.setChunks([[[x * 4, 0, 0, 0], randomChunk(prng, 2_000, 0)]]);
    await expect.poll(() => world.generation).toBeGreaterThan(generation);
    await world.close();
  });

  test("leaves saving to a program that turned autosave off", async () => {
    const options = quiet({ loadedBytesMax: 20 * KIBIBYTE, autosave: false });
    const world = await createWorldEngine(new MemoryDisk(), {}, options);
    // Its epoch is saved.
    await world.set([0, 0, 0, 0], 1);
    const { generation } = world;
    const prng = new Prng(8);
    for (let x = 0; x < 9; x++) await world.setChunks([[[x * 4, 0, 0, 0], randomChunk(prng, 2_000, 0)]]);
    await settled();
    expect(world.generation).toBe(generation);
    await world.close();
  });

  test.each(["snapshot", "journal"] as const)(
    "lets edits wait for a slow disk, and makes all of them then: %s",
    async (durability) => {
      const slow = new SlowDisk(new MemoryDisk());
      const options = quiet({ loadedBytesMax: 200 * KIBIBYTE, durability });
      const world = await createWorldEngine(slow, {}, options);
      await world.set([0, 0, 0, 0], 1);
      const sync = slow.holdNext("sync", /^data\//);
      const prng = new Prng(9);
      let made = 0;
      const edits: Promise<unknown>[] = [];
      for (let x = 0; x < 30; x++) {
        const chunk = randomChunk(prng, 2_000, 0);
        const edit = world.setChunks([[[x * 4, 0, 0, 0], chunk]]);
        edits.push(edit.then(() => made++));
      }
      await sync.reached;
      await settled();
      const [madeBefore, bytesBefore] = [made, world.loadedBytes()];
      expect(madeBefore).toBeGreaterThan(2);
      expect(madeBefore).toBeLessThan(15);
      expect(bytesBefore).toBeLessThan(150 * KIBIBYTE);
      sync.release();
      await Promise.all(edits);
      expect(made).toBe(30);
      expect(world.loadedBytes()).toBeLessThanOrEqual(200 * KIBIBYTE);
      for (let x = 0; x < 30; x++) expect((await world.chunk([x * 4, 0, 0, 0])).blockCount).toBe(2_000);
      await world.close();
    },
  );
});

/** Resolves when nothing is left to do but wait for a disk. */
async function settled(): Promise<void> {
  for (let turn = 0; turn < 200; turn++) await new Promise((resolve) => setImmediate(resolve));
}
