import type { Position } from "@orthant/core";
import { boxBetween } from "@orthant/core/lattice";
import { MemoryDisk } from "@orthant/disk";
import { openSave } from "@orthant/save";
import { type JournalEntry, JournalReader } from "@orthant/save/journal";
import { FakeTime, FaultDisk } from "@orthant/testkit";
import { createWorldEngine, openWorldEngine, type WorldEngine } from "@orthant/world/engine";
import { describe, expect, test } from "vitest";

const EVERYWHERE = boxBetween([-1e6, -1e6, -1e6, -1e6], [1e6, 1e6, 1e6, 1e6]);
const ORIGIN: Position = [0, 0, 0, 0];

interface Herd {
  readonly behind: MemoryDisk;
  readonly world: WorldEngine;
  readonly time: FakeTime;
  readonly sheep: bigint;
  /** Returns the number of syncs since the last call. */
  syncs(): number;
}

/** Returns a world with a journal and a saved sheep. */
async function herd(): Promise<Herd> {
  const behind = new MemoryDisk();
  const disk = new FaultDisk(behind);
  const time = new FakeTime();
  const world = await createWorldEngine(disk, {}, { time, autosave: false, durability: "journal" });
  const sheep = world.entities.spawn({ kind: 1, position: [1, 0, 0, 0] }).entityId;
  await world.save();
  let known = 0;
  const syncs = (): number => {
    const before = known;
    known = disk.calls.get("sync") ?? 0;
    return known - before;
  };
  syncs();
  return { behind, world, time, sheep, syncs };
}

async function entriesIn(disk: MemoryDisk): Promise<readonly (readonly JournalEntry[])[]> {
  const save = await openSave(disk);
  const journal = await JournalReader.open(disk, save);
  const groups: (readonly JournalEntry[])[] = [];
  for await (const group of journal.entries(save.global.description.chunkShape.volume)) groups.push(group);
  await journal.close();
  await save.close();
  return groups;
}

/** Returns the positions of the entities after opening the current disk. */
async function positionsAfterCrash(disk: MemoryDisk): Promise<Record<string, Position>> {
  const world = await openWorldEngine(new MemoryDisk(disk.image()), { autosave: false });
  const found = await world.entities.in(EVERYWHERE);
  await world.close();
  return Object.fromEntries(found.map(({ entityId, position }) => [`${entityId}`, position]));
}

/** Lets everything happen that waits for nothing. */
async function settle(world: WorldEngine): Promise<void> {
  for (let turn = 0; turn < 100; turn++) await world.get(ORIGIN);
}

describe("the journal of a world with moving entities", () => {
  test("[J20] [J21] has only the last of many steps, in one group, once a caller waits for it", async () => {
    const { behind, world, sheep, syncs } = await herd();
    for (let step = 2; step <= 500; step++) world.entities.change(sheep, { position: [step / 100, 0, 0, 0] });
    await settle(world);
    expect(syncs()).toBe(0);
    expect(await entriesIn(behind)).toEqual([]);
    await world.whenDurable();
    expect(syncs()).toBe(1);
    const [group = [], ...others] = await entriesIn(behind);
    expect([group.length, others]).toEqual([1, []]);
    expect(group[0]).toMatchObject({ kind: "entity", entity: { position: [5, 0, 0, 0] } });
    expect(await positionsAfterCrash(behind)).toEqual({ [`${sheep}`]: [5, 0, 0, 0] });
    await world.close();
  });

  test("[J21] writes steps after a second, or with the next other entry", async () => {
    const { behind, world, time, sheep, syncs } = await herd();
    world.entities.change(sheep, { velocity: [1, 0, 0, 0], position: [2, 0, 0, 0] });
    time.advance(999);
    await settle(world);
    expect(syncs()).toBe(0);
    time.advance(1);
    await settle(world);
    expect(syncs()).toBe(1);
    expect(await positionsAfterCrash(behind)).toEqual({ [`${sheep}`]: [2, 0, 0, 0] });
    world.entities.change(sheep, { position: [3, 0, 0, 0] });
    await world.set(ORIGIN, 1);
    expect(syncs()).toBe(1);
    expect(await positionsAfterCrash(behind)).toEqual({ [`${sheep}`]: [3, 0, 0, 0] });
    // A change that is not a step does not wait.
    world.entities.change(sheep, { tags: ["shorn"], position: [4, 0, 0, 0] });
    await settle(world);
    expect(syncs()).toBe(1);
    await world.close();
  });

  test("[J20] finds an entity that left its leaf in the middle of a group where it was stored", async () => {
    const { behind, world, sheep } = await herd();
    world.entities.change(sheep, { position: [2, 0, 0, 0] });
    world.entities.change(sheep, { position: [500_000, 0, 0, 0] });
    world.entities.change(sheep, { position: [500_001, 0, 0, 0] });
    await world.whenDurable();
    expect(await positionsAfterCrash(behind)).toEqual({ [`${sheep}`]: [500_001, 0, 0, 0] });
    await world.close();
  });

  test("[J20] handles entities that spawn and despawn in one group, and issues no id twice", async () => {
    const { behind, world, sheep } = await herd();
    const lamb = world.entities.spawn({ kind: 1, position: [5, 0, 0, 0] });
    world.entities.change(lamb.entityId, { position: [6, 0, 0, 0] });
    world.entities.change(sheep, { position: [7, 0, 0, 0] });
    world.entities.despawn(lamb.entityId);
    world.entities.despawn(sheep);
    await world.whenDurable();
    expect(await positionsAfterCrash(behind)).toEqual({});
    const found = await openWorldEngine(new MemoryDisk(behind.image()), { autosave: false });
    expect(found.entities.spawn({ kind: 1, position: [0, 0, 0, 0] }).entityId).toBe(lamb.entityId + 1n);
    await found.close();
    await world.close();
  });

  test("[J12] [J21] leaves waiting steps to the save that takes them", async () => {
    const { behind, world, sheep, time } = await herd();
    world.entities.change(sheep, { position: [2, 0, 0, 0] });
    await world.save();
    expect(await entriesIn(behind)).toEqual([]);
    world.entities.change(sheep, { position: [3, 0, 0, 0] });
    const saving = world.save();
    world.entities.change(sheep, { position: [4, 0, 0, 0] });
    await world.whenDurable();
    await saving;
    expect(await positionsAfterCrash(behind)).toEqual({ [`${sheep}`]: [4, 0, 0, 0] });
    await world.close();
    // No timer is left that would write to a closed world.
    time.advance(10_000);
    expect(world.failure).toBeUndefined();
  });
});
