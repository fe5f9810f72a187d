import type { Position } from "@orthant/core";
import { boxBetween } from "@orthant/core/lattice";
import { MemoryDisk } from "@orthant/disk";
import { FakeTime, FaultDisk } from "@orthant/testkit";
import { createWorldEngine, openWorldEngine, type WorldEngine } from "@orthant/world/engine";
import { describe, expect, test } from "vitest";
import { SlowDisk } from "./slow-disk.ts";
import { createSmallLeaves, storedEntities } from "./small-leaves.ts";

const EVERYWHERE = boxBetween([-1e6, -1e6, -1e6, -1e6], [1e6, 1e6, 1e6, 1e6]);
const FAR: Position = [600_000, 0, 0, 0];
const PACK = /^data\//;

async function reopen(disk: MemoryDisk | SlowDisk, time = new FakeTime()): Promise<WorldEngine> {
  return openWorldEngine(disk, { time, autosave: false });
}

/** Returns a closed world with a near and a far leaf, with a voxel and an entity in each. */
async function twoLeaves(): Promise<MemoryDisk> {
  const disk = new MemoryDisk();
  const world = await createWorldEngine(disk, {}, { autosave: false });
  for (const position of [[0, 0, 0, 0], FAR] as const) {
    await world.set(position, 1);
    world.entities.spawn({ kind: 1, position: position });
  }
  await world.close();
  return disk;
}

describe("while the disk is slow", () => {
  test("an entity spawned into an unread leaf after a save has begun replaces no other entity", async () => {
    const disk = await twoLeaves();
    const slow = new SlowDisk(disk);
    const world = await reopen(slow);
    world.entities.spawn({ kind: 2, position: [1, 0, 0, 0] });
    const read = slow.holdNext("readAt", PACK);
    const saving = world.save();
    await read.reached;
    world.entities.spawn({ kind: 3, position: FAR });
    read.release();
    await saving;
    await world.close();
    expect((await storedEntities(disk)).map(({ entity }) => entity.kind).sort()).toEqual([1, 1, 2, 3]);
  });

  test("reading continues across a save that replaces a leaf, and restores nothing old", async () => {
    const disk = await twoLeaves();
    const first = await reopen(disk);
    await first.set([-600_000, 0, 0, 0], 1);
    await first.close();
    const slow = new SlowDisk(disk);
    const world = await reopen(slow);
    await world.get([0, 0, 0, 0]);
    const read = slow.holdNext("readAt", PACK);
    const all = world.entities.in(EVERYWHERE);
    await read.reached;
    // One of the two is being read; the other waits for its turn.
    const positions: readonly Position[] = [FAR, [-600_000, 0, 0, 0]];
    const waiting = await Promise.race(positions.map((position) => world.get(position).then(() => position)));
    await world.set(waiting, 2);
    await world.save();
    await world.set(waiting, 3);
    read.release();
    expect(await all).toHaveLength(2);
    expect(await world.get(waiting)).toBe(3);
    await world.close();
    const again = await reopen(disk);
    expect(await again.get(waiting)).toBe(3);
    await again.close();
  });

  test("an edit after close is rejected, one before it is saved, and closing twice closes once", async () => {
    const disk = await twoLeaves();
    const slow = new SlowDisk(disk);
    const world = await reopen(slow);
    const early = world.set(FAR, 2);
    const closing = Promise.all([world.close(), world.close()]);
    await expect(world.set(FAR, 3)).rejects.toThrow("ORT_CLOSED");
    expect(() => world.entities.spawn({ kind: 9, position: FAR })).toThrow("ORT_CLOSED");
    await closing;
    expect((await early).chunks).toHaveLength(1);
    expect(slow.openFiles).toBe(0);
    const again = await reopen(disk);
    expect(await again.get(FAR)).toBe(2);
    await again.close();
  });

  test("an entity that despawns while its leaf is being split does not come back", async () => {
    const disk = new MemoryDisk();
    await createSmallLeaves(disk);
    const slow = new SlowDisk(disk);
    const world = await reopen(slow);
    const ids = Array.from({ length: 40 }, (_, index) => {
      return world.entities.spawn({ kind: 1, position: [index * 40, 0, 0, 0] }).entityId;
    });
    const sync = slow.holdNext("sync", PACK);
    const saving = world.save();
    await sync.reached;
    const gone = ids.slice(10, 30);
    for (const id of gone) world.entities.despawn(id);
    sync.release();
    await saving;
    await world.close();
    const left = (await storedEntities(disk)).map(({ entity }) => entity.entityId);
    expect(left).toHaveLength(20);
    expect(left.filter((id) => gone.includes(id))).toEqual([]);
  });
});

test("an edit beside an unread leaf that merges with it keeps its latest change", async () => {
  const disk = new MemoryDisk();
  await createSmallLeaves(disk);
  const old: Position = [8_192, 0, 0, 0];
  const made: Position = [8_192, 4_096, 0, 0];
  // Whole chunks of one block take few bytes.
  const fill = (world: WorldEngine, [x, y, z, w]: Position, block: number) =>
    world.fill(boxBetween([x, y, z, w], [x + 8, y + 8, z + 8, w + 8]), block);
  const crowd = boxBetween([12_288, 0, 0, 0], [12_400, 1, 1, 1]);
  // A crowd next to the old voxel makes the leaves small; when it is gone, there is room to merge.
  const first = await reopen(disk);
  await fill(first, old, 1);
  for (let x = 12_288; x < 12_328; x++) first.entities.spawn({ kind: 1, position: [x, 0, 0, 0] });
  await first.close();
  const second = await reopen(disk);
  for (const { entityId } of await second.entities.in(crowd)) second.entities.despawn(entityId);
  await second.close();
  const slow = new SlowDisk(disk);
  const world = await reopen(slow);
  await fill(world, made, 1);
  const sync = slow.holdNext("sync", PACK);
  const saving = world.save();
  await sync.reached;
  await fill(world, made, 2);
  sync.release();
  await saving;
  expect(await world.get(made)).toBe(2);
  await world.close();
  const again = await reopen(disk);
  expect([await again.get(made), await again.get(old)]).toEqual([2, 1]);
  await again.close();
});

describe("autosave", () => {
  test("an autosave that splits a leaf stores an entity once that moved in it and was not due", async () => {
    const disk = new MemoryDisk();
    await createSmallLeaves(disk);
    const time = new FakeTime();
    const world = await openWorldEngine(disk, { time });
    const { entityId } = world.entities.spawn({ kind: 1, position: [0, 0, 0, 0] });
    await world.save();
    time.advance(20_000);
    world.entities.change(entityId, { position: [800, 0, 0, 0] });
    for (let index = 0; index < 40; index++) {
      for (let voxel = 0; voxel < 8; voxel++)
        await world.set([index * 40 + voxel, voxel, 0, 0], index + voxel);
    }
    const { generation } = world;
    time.advance(5_000);
    await expect.poll(() => world.generation).toBeGreaterThan(generation);
    await world.close();
    expect((await storedEntities(disk)).map(({ entity }) => entity.position[0])).toEqual([800]);
  });

  test("comes for a moved entity even if an edit caused a save shortly before", async () => {
    const disk = await twoLeaves();
    const time = new FakeTime();
    const world = await openWorldEngine(disk, { time });
    const [entity] = await world.entities.in(boxBetween([0, 0, 0, 0], [1, 1, 1, 1]));
    world.entities.change(entity?.entityId ?? 0n, { position: [3, 0, 0, 0] });
    time.advance(4_000);
    await world.set([0, 0, 0, 0], 5);
    const { generation } = world;
    time.advance(5_000);
    await expect.poll(() => world.generation).toBe(generation + 1);
    await world.load(boxBetween([0, 0, 0, 0], [1, 1, 1, 1]));
    time.advance(1_000);
    await expect.poll(() => world.generation).toBe(generation + 2);
    expect((await storedEntities(disk)).map(({ entity: { position } }) => position[0])).toContain(3);
    await world.close();
  });

  test("an autosave that failed is reported once, to the caller that closes the world, and the folder is released", async () => {
    const behind = await twoLeaves();
    const disk = new FaultDisk(behind, { operation: "sync", path: /manifest/, kind: "io", nth: 2 });
    const time = new FakeTime();
    const world = await openWorldEngine(disk, { time });
    await world.set(FAR, 7);
    time.advance(5_000);
    await expect.poll(() => world.failure).toBeDefined();
    await expect(world.close()).rejects.toThrow("ORT_SAVE_FAILED");
    await world.close();
    const again = await reopen(behind);
    expect(await again.get(FAR)).toBe(1);
    await again.close();
  });
});

test("a throwing listener prevents neither the edit nor the other listeners", async () => {
  const world = await createWorldEngine(new MemoryDisk(), {}, { autosave: false });
  let heard = 0;
  world.onEdit(() => {
    throw new Error("a fault of the listener");
  });
  world.onEdit(() => heard++);
  await expect(world.set(FAR, 7)).rejects.toThrow("a fault of the listener");
  expect([heard, await world.get(FAR)]).toEqual([1, 7]);
  await world.close();
});

test("a save includes earlier edits even if they were not awaited", async () => {
  const disk = new MemoryDisk();
  const world = await createWorldEngine(disk, {}, { time: new FakeTime(), autosave: false });
  const edits = [1, 2, 3].map((value) => world.set([value, 0, 0, 0], value));
  await world.save();
  const saved = await openWorldEngine(new MemoryDisk(disk.image()), { readOnly: true });
  for (const value of [1, 2, 3]) expect(await saved.get([value, 0, 0, 0])).toBe(value);
  await saved.close();
  await Promise.all(edits);
  await world.close();
});
