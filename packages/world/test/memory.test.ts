import type { Position } from "@orthant/core";
import { boxAt, boxBetween, regionBox } from "@orthant/core/lattice";
import { CLOCK_NEVER } from "@orthant/core/tree";
import { MemoryDisk } from "@orthant/disk";
import { FakeTime } from "@orthant/testkit";
import { createWorldEngine, openWorldEngine, type WorldEngine } from "@orthant/world/engine";
import { describe, expect, test } from "vitest";
import { SlowDisk } from "./slow-disk.ts";

/** Memory for two regions with an edited chunk in each, or four without. */
const LITTLE_BYTES = 5_000;
const LITTLE = 4;
const FAR_APART = 64;

/** Returns a closed world with one voxel in each of `regions` regions. */
async function worldOf(regions: number): Promise<MemoryDisk> {
  const disk = new MemoryDisk();
  const world = await createWorldEngine(disk, {}, { autosave: false });
  for (let index = 0; index < regions; index++) await world.set(voxelAt(index), 1 + index);
  await world.close();
  return disk;
}

function voxelAt(index: number): Position {
  return [index * FAR_APART, 0, 0, 0];
}

function chunkAt(index: number): Position {
  return [(index * FAR_APART) / 8, 0, 0, 0];
}

async function openSmall(disk: MemoryDisk | SlowDisk): Promise<WorldEngine> {
  return openWorldEngine(disk, { autosave: false, time: new FakeTime(), loadedBytesMax: LITTLE_BYTES });
}

function loadedOf(world: WorldEngine, count: number): readonly number[] {
  const indices = Array.from({ length: count }, (_, index) => index);
  return indices.filter((index) => world.isLoaded(boxAt(chunkAt(index))));
}

describe("the loaded regions of a world", () => {
  test("are the most recently used ones when there are too many, and every query is still correct", async () => {
    const world = await openSmall(await worldOf(12));
    for (let round = 0; round < 3; round++) {
      for (let index = 0; index < 12; index++) expect(await world.get(voxelAt(index))).toBe(1 + index);
    }
    const loaded = loadedOf(world, 12);
    expect(loaded.length).toBeLessThanOrEqual(LITTLE);
    expect(loaded).toContain(11);
    await world.close();
  });

  test("exclude the voxels and the clock of an evicted region", async () => {
    const world = await openSmall(await worldOf(12));
    await world.get(voxelAt(0));
    const clock = world.clockOf([0, 0, 0, 0]);
    expect(clock).toBeGreaterThan(CLOCK_NEVER);
    for (let index = 1; index < 12; index++) await world.get(voxelAt(index));
    expect(world.clockOf([0, 0, 0, 0])).toBeUndefined();
    expect(world.state.overrides.slice(regionBox([0, 0, 0, 0])).bounds()).toBeUndefined();
    await world.load(boxAt([0, 0, 0, 0]));
    expect(world.clockOf([0, 0, 0, 0])).toBe(clock);
    await world.close();
  });

  test("include everything unsaved, however much that is", async () => {
    const world = await openSmall(await worldOf(1));
    for (let index = 0; index < 12; index++) await world.set(voxelAt(index), 100 + index);
    expect(loadedOf(world, 12)).toHaveLength(12);
    await world.save();
    expect(loadedOf(world, 12).length).toBeLessThanOrEqual(LITTLE);
    for (let index = 0; index < 12; index++) expect(await world.get(voxelAt(index))).toBe(100 + index);
    await world.close();
  });

  test("include what is being saved until that is done", async () => {
    const slow = new SlowDisk(await worldOf(12));
    const world = await openSmall(slow);
    await world.set(voxelAt(0), 77);
    const sync = slow.holdNext("sync", /^data\//);
    const saving = world.save();
    await sync.reached;
    for (let index = 1; index < 12; index++) await world.get(voxelAt(index));
    expect(world.isLoaded(boxAt(chunkAt(0)))).toBe(true);
    expect(await world.get(voxelAt(0))).toBe(77);
    sync.release();
    await saving;
    for (let index = 1; index < 12; index++) await world.get(voxelAt(index));
    expect(world.isLoaded(boxAt(chunkAt(0)))).toBe(false);
    expect(await world.get(voxelAt(0))).toBe(77);
    await world.close();
  });

  test("include kept boxes until they are released", async () => {
    const world = await openSmall(await worldOf(12));
    const release = world.keep(boxAt(chunkAt(3)));
    const again = world.keep(boxAt(chunkAt(3)));
    for (let index = 0; index < 12; index++) await world.get(voxelAt(index));
    expect(loadedOf(world, 12)).toContain(3);
    release();
    release();
    for (let index = 4; index < 12; index++) await world.get(voxelAt(index));
    expect(loadedOf(world, 12)).toContain(3);
    again();
    for (let index = 4; index < 12; index++) await world.get(voxelAt(index));
    expect(loadedOf(world, 12)).not.toContain(3);
    await world.close();
  });

  test("suffice for a query about more than fits in memory", async () => {
    const world = await openSmall(await worldOf(12));
    const tree = await world.region(boxBetween([0, 0, 0, 0], [12 * 8, 1, 1, 1]));
    for (let index = 0; index < 12; index++) {
      const chunk = tree.at(...chunkAt(index));
      expect(chunk !== undefined && "get" in chunk && chunk.get(0)).toBe(1 + index);
    }
    await world.close();
  });

  test("do not affect a snapshot, which answers as before whatever the world evicts", async () => {
    const world = await openSmall(await worldOf(12));
    await world.set(voxelAt(5), 200);
    const snapshot = world.snapshot();
    await world.set(voxelAt(5), 201);
    await world.set(voxelAt(6), 201);
    await world.save();
    for (let index = 0; index < 12; index++) await world.get(voxelAt(index));
    expect(await snapshot.get(voxelAt(5))).toBe(200);
    expect(await snapshot.get(voxelAt(6))).toBe(7);
    await snapshot.close();
    await world.close();
  });

  test("include a region at once if the save is known to have nothing there", async () => {
    const world = await openSmall(await worldOf(1));
    expect(await world.get(voxelAt(0))).toBe(1);
    const far = boxAt([400_000, 0, 0, 0]);
    const loading = world.load(far);
    expect(world.isLoaded(far)).toBe(true);
    await loading;
    expect(world.clockOf([100_000, 0, 0, 0])).toBe(CLOCK_NEVER);
    await world.close();
  });

  test("exclude what is not kept, even if it comes after much that is", async () => {
    const world = await openSmall(await worldOf(1));
    const kept = Array.from({ length: 600 }, (_, index) => boxAt(chunkAt(index)));
    const releases = kept.map((box) => world.keep(box));
    for (const box of kept) await world.load(box);
    // Each of these looks at some of the kept boxes, and continues where the previous one stopped.
    for (let index = 600; index < 610; index++) await world.load(boxAt(chunkAt(index)));
    const loaded = loadedOf(world, 610);
    expect(loaded.filter((index) => index < 600)).toHaveLength(600);
    expect(loaded.filter((index) => index >= 600).length).toBeLessThan(5);
    for (const release of releases) release();
    for (let index = 0; index < 3; index++) await world.load(boxAt(chunkAt(index)));
    expect(loadedOf(world, 610).length).toBeLessThanOrEqual(LITTLE);
    await world.close();
  });
});
