import type { Position } from "@orthant/core";
import { boxBetween } from "@orthant/core/lattice";
import { MemoryDisk } from "@orthant/disk";
import { FakeTime } from "@orthant/testkit";
import { createWorldEngine, openWorldEngine, type WorldEngine } from "@orthant/world/engine";
import { describe, expect, test } from "vitest";
import { storedEntities } from "./small-leaves.ts";

const EVERYWHERE = boxBetween([-1e6, -1e6, -1e6, -1e6], [1e6, 1e6, 1e6, 1e6]);
/** Filled boxes of many blocks at both positions are too large for one leaf, so each gets its own. */
const NEAR: Position = [0, 0, 0, 0];
const FAR: Position = [100_000, 0, 0, 0];

async function openAgain(disk: MemoryDisk): Promise<WorldEngine> {
  return openWorldEngine(disk, { time: new FakeTime(), autosave: false });
}

/** Returns a world with two leaves, 65,536 chunks apart. */
async function twoLeaves(disk: MemoryDisk, time = new FakeTime(), autosave = false): Promise<WorldEngine> {
  const world = await createWorldEngine(disk, {}, { time, autosave });
  await world.set(NEAR, 1);
  await world.set([600_000, 0, 0, 0], 1);
  await world.save();
  return world;
}

describe("entities", () => {
  test("are restored exactly, with 32-bit floats", async () => {
    const disk = new MemoryDisk();
    const world = await createWorldEngine(disk, {}, { autosave: false });
    const { entityId } = world.entities.spawn({
      kind: 4,
      position: [1.5, -2.25, 0.1, 1e6],
      velocity: [0, 1, 0, 0],
      scale: 0.5,
      block: 3,
      displayName: "Ünit 7",
      tags: ["tame", "old"],
      payload: Uint8Array.of(1, 2, 3),
    });
    await world.close();
    const again = await openAgain(disk);
    const [entity, ...others] = await again.entities.in(
      boxBetween([0, -3, 0, 999_999], [2, 0, 1, 1_000_001]),
    );
    expect(others).toEqual([]);
    expect(entity).toMatchObject({
      entityId,
      kind: 4,
      scale: 0.5,
      block: 3,
      displayName: "Ünit 7",
      tags: ["tame", "old"],
    });
    expect(entity?.position).toEqual([1.5, -2.25, Math.fround(0.1), 1e6]);
    expect(entity?.payload).toEqual(Uint8Array.of(1, 2, 3));
    await again.close();
  });

  test("have ids that are never reused, not even after a restart", async () => {
    const disk = new MemoryDisk();
    const world = await createWorldEngine(disk, {}, { autosave: false });
    const first = world.entities.spawn({ kind: 1, position: [0, 0, 0, 0] }).entityId;
    world.entities.despawn(first);
    await world.close();
    const again = await openAgain(disk);
    expect(again.entities.spawn({ kind: 1, position: [0, 0, 0, 0] }).entityId).toBeGreaterThan(first);
    expect(() => again.entities.change(999n, {})).toThrow("no entity 999");
    expect(() => again.entities.spawn({ kind: 1, position: [0, 0, 0, 0], entityClass: 0 })).toThrow(
      "players are not entities",
    );
    await again.close();
  });

  test("[checklist 3] entities that cross into another leaf are stored there and no longer in the old leaf", async () => {
    const disk = new MemoryDisk();
    const world = await twoLeaves(disk);
    const { entityId } = world.entities.spawn({ kind: 1, position: [5, 5, 5, 5] });
    await world.save();
    const [before] = await storedEntities(disk);
    world.entities.change(entityId, { position: [600_005, 5, 5, 5] });
    await world.save();
    const after = await storedEntities(disk);
    expect(after).toHaveLength(1);
    expect(after[0]?.cube).not.toBe(before?.cube);
    expect(after[0]?.entity.position).toEqual([600_005, 5, 5, 5]);
    await world.close();
    const again = await openAgain(disk);
    expect(await again.entities.in(EVERYWHERE)).toHaveLength(1);
    await again.close();
  });

  test("entities that step over a border by less than a fifth of a chunk stay in their leaf", async () => {
    const disk = new MemoryDisk();
    const world = await twoLeaves(disk);
    const border = 65_536 * 8;
    const { entityId } = world.entities.spawn({ kind: 1, position: [border - 1, 5, 5, 5] });
    await world.save();
    const [home] = await storedEntities(disk);
    world.entities.change(entityId, { position: [border + 1.5, 5, 5, 5] });
    await world.save();
    expect((await storedEntities(disk)).map(({ cube }) => cube)).toEqual([home?.cube]);
    world.entities.change(entityId, { position: [border + 1.7, 5, 5, 5] });
    await world.save();
    expect((await storedEntities(disk)).map(({ cube }) => cube)).not.toEqual([home?.cube]);
    await world.close();
  });

  test("entities that only move are saved after ten seconds, those that cross a border after five", async () => {
    const disk = new MemoryDisk();
    const time = new FakeTime();
    const world = await twoLeaves(disk, time, true);
    const { entityId } = world.entities.spawn({ kind: 1, position: [5, 5, 5, 5] });
    await world.save();
    const generation = world.generation;
    world.entities.change(entityId, { position: [6, 5, 5, 5] });
    time.advance(9_999);
    expect(world.generation).toBe(generation);
    time.advance(1);
    await expect.poll(() => world.generation).toBe(generation + 1);
    expect((await storedEntities(disk))[0]?.entity.position).toEqual([6, 5, 5, 5]);
    world.entities.change(entityId, { position: [FAR[0] * 6, 5, 5, 5] });
    time.advance(5_000);
    await expect.poll(() => world.generation).toBe(generation + 2);
    await world.close();
  });

  test("entities of an unread leaf are kept when another entity moves in", async () => {
    const disk = new MemoryDisk();
    const world = await twoLeaves(disk);
    world.entities.spawn({ kind: 1, position: [600_001, 0, 0, 0] });
    const traveller = world.entities.spawn({ kind: 2, position: [1, 0, 0, 0] });
    await world.close();
    const again = await openAgain(disk);
    await again.entities.in(boxBetween([0, 0, 0, 0], [9, 9, 9, 9]));
    again.entities.change(traveller.entityId, { position: [600_002, 0, 0, 0] });
    await again.close();
    expect((await storedEntities(disk)).map(({ entity }) => entity.kind).sort()).toEqual([1, 2]);
  });

  test("a thousand entities split their leaf and are all restored", async () => {
    const disk = new MemoryDisk();
    const world = await createWorldEngine(disk, {}, { autosave: false });
    for (let index = 0; index < 3_000; index++) {
      world.entities.spawn({
        kind: 1,
        position: [(index % 50) * 8, 0, Math.floor(index / 50) * 8, 0],
        displayName: `entity ${index}`,
      });
    }
    await world.save();
    expect(new Set((await storedEntities(disk)).map(({ cube }) => cube)).size).toBeGreaterThan(1);
    world.entities.change(17n, { displayName: "renamed" });
    await world.close();
    const again = await openAgain(disk);
    const all = await again.entities.in(EVERYWHERE);
    expect(all).toHaveLength(3_000);
    expect(all.find(({ entityId }) => entityId === 17n)?.displayName).toBe("renamed");
    await again.close();
  });
});
