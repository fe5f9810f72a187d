import { type Epoch, epochOf } from "@orthant/core/tree";
import { MemoryDisk } from "@orthant/disk";
import { openSave } from "@orthant/save";
import { CrashDisk, codeOfRejection, explorePowerCuts, FakeTime, Prng } from "@orthant/testkit";
import { createWorldEngine, openWorldEngine, type WorldEngine } from "@orthant/world/engine";
import { describe, expect, test } from "vitest";
import { createSmallLeaves } from "./small-leaves.ts";

/** Seeded, so that the test is reproducible. */
const prng = new Prng(11);
const random = (): bigint => BigInt(prng.u32()) * 2n ** 32n + BigInt(prng.u32());
const quiet = { time: new FakeTime(), autosave: false, random };

async function reopen(disk: MemoryDisk): Promise<WorldEngine> {
  return openWorldEngine(disk, quiet);
}

/** Opens the world, starts its epoch, and closes it. */
async function oneEpoch(disk: MemoryDisk): Promise<Epoch> {
  const world = await reopen(disk);
  const epoch = await world.openEpoch();
  await world.close();
  return epoch;
}

describe("an epoch", () => {
  test("stays the same until the world is closed, and the clocks of its edits belong to it", async () => {
    const disk = new MemoryDisk();
    const world = await createWorldEngine(disk, {}, quiet);
    const [first, second] = await Promise.all([world.openEpoch(), world.openEpoch()]);
    expect(second).toEqual(first);
    const generation = world.generation;
    const [step] = (await world.set([0, 0, 0, 0], 1)).clocks;
    expect(epochOf(step?.after ?? 0)).toBe(first.number);
    expect(await world.openEpoch()).toEqual(first);
    expect(world.generation).toBe(generation);
    await world.close();
    const next = await oneEpoch(disk);
    expect(next.number).toBe(first.number + 1);
    expect(next.id).not.toBe(first.id);
  });

  test("is also opened by the first edit", async () => {
    const world = await createWorldEngine(new MemoryDisk(), {}, quiet);
    const [step] = (await world.set([0, 0, 0, 0], 1)).clocks;
    expect((await world.openEpoch()).number).toBe(epochOf(step?.after ?? 0));
    await world.close();
  });

  test("is remembered with exactly its id, by later sessions and by readers", async () => {
    const disk = new MemoryDisk();
    await (await createWorldEngine(disk, {}, quiet)).close();
    const epochs = [await oneEpoch(disk), await oneEpoch(disk)];
    for (const world of [await reopen(disk), await openWorldEngine(disk, { readOnly: true })]) {
      for (const { number, id } of epochs) {
        expect(world.knowsEpoch({ number, id })).toBe(true);
        expect(world.knowsEpoch({ number, id: id ^ 1n })).toBe(false);
        expect(world.knowsEpoch({ number: number + 7, id })).toBe(false);
      }
      await world.close();
    }
  });

  test("is forgotten after 64 later ones", async () => {
    const disk = new MemoryDisk();
    await (await createWorldEngine(disk, {}, quiet)).close();
    const epochs: Epoch[] = [];
    for (let opening = 0; opening < 66; opening++) epochs.push(await oneEpoch(disk));
    const world = await reopen(disk);
    expect(epochs.map((epoch) => world.knowsEpoch(epoch))).toEqual([false, false, ...Array(64).fill(true)]);
    await world.close();
  });

  test("is not opened by a reader, nor after the world is closed", async () => {
    const disk = new MemoryDisk();
    const world = await createWorldEngine(disk, {}, quiet);
    const reader = await openWorldEngine(disk, { readOnly: true });
    expect(await codeOfRejection(reader.openEpoch())).toBe("ORT_READ_ONLY");
    await reader.close();
    await world.close();
    expect(await codeOfRejection(world.openEpoch())).toBe("ORT_CLOSED");
  });

  test("opened in one of two copies of a folder is remembered only by that copy", async () => {
    const disk = new MemoryDisk();
    await (await createWorldEngine(disk, {}, quiet)).close();
    const before = await oneEpoch(disk);
    const copies = [new MemoryDisk(disk.image()), new MemoryDisk(disk.image())] as const;
    const epochs = [await oneEpoch(copies[0]), await oneEpoch(copies[1])] as const;
    expect(epochs[0].number).toBe(epochs[1].number);
    const [one, other] = [await reopen(copies[0]), await reopen(copies[1])];
    expect([one.knowsEpoch(epochs[0]), one.knowsEpoch(epochs[1])]).toEqual([true, false]);
    expect([other.knowsEpoch(epochs[0]), other.knowsEpoch(epochs[1])]).toEqual([false, true]);
    expect([one.knowsEpoch(before), other.knowsEpoch(before)]).toEqual([true, true]);
    expect(one.worldId).toBe(other.worldId);
    await one.close();
    await other.close();
  });

  test("is durable before openEpoch returns it: after a power cut right then, the world remembers it", async () => {
    const recorder = new CrashDisk();
    const world = await createWorldEngine(recorder, {}, quiet);
    const made = recorder.log.length;
    const epoch = await world.openEpoch();
    const opened = recorder.log.length;
    await world.set([0, 0, 0, 0], 1);
    await world.save();
    const outcomes = new Set<boolean>();
    await explorePowerCuts(recorder, { disksPerCut: 20, seed: 4 }, async ({ disk, cutAt }) => {
      if (cutAt < made) return;
      const survivor = await reopen(disk);
      const remembered = survivor.knowsEpoch(epoch);
      if (cutAt >= opened) expect(remembered).toBe(true);
      outcomes.add(remembered);
      expect(survivor.worldId).toBe(world.worldId);
      const next = await survivor.openEpoch();
      // A used epoch is only reused if the first use cannot have become known.
      expect(next.number > epoch.number || !remembered).toBe(true);
      expect(next.id).not.toBe(epoch.id);
      await survivor.close();
    });
    expect([...outcomes].sort()).toEqual([false, true]);
    await world.close();
  });
});

describe("a world's id", () => {
  test("is random, is stored on the disk, and is never 0", async () => {
    const disk = new MemoryDisk();
    const zero = await createWorldEngine(disk, {}, { ...quiet, random: () => 0n });
    expect(zero.worldId).toBe(1n);
    await zero.close();
    const again = await reopen(disk);
    expect(again.worldId).toBe(1n);
    await again.close();
    const worlds = await Promise.all(
      [1, 2].map(() => createWorldEngine(new MemoryDisk(), {}, { autosave: false })),
    );
    expect(new Set(worlds.map(({ worldId }) => worldId)).size).toBe(2);
    for (const world of worlds) await world.close();
  });

  test("has 64 bits, as has the id of an epoch, whatever the program's random source returns", async () => {
    const world = await createWorldEngine(new MemoryDisk(), {}, { ...quiet, random: () => -2n });
    expect(world.worldId).toBe(2n ** 64n - 2n);
    expect((await world.openEpoch()).id).toBe(2n ** 64n - 2n);
    await world.close();
  });

  test("is assigned with the first epoch to a world created before ids existed", async () => {
    const disk = new MemoryDisk();
    await createSmallLeaves(disk);
    const world = await reopen(disk);
    expect(world.worldId).toBe(0n);
    await world.openEpoch();
    const { worldId } = world;
    expect(worldId).not.toBe(0n);
    await world.close();
    const again = await reopen(disk);
    await again.openEpoch();
    expect(again.worldId).toBe(worldId);
    await again.close();
  });

  test("is new for a copy made by saveAs, which knows no epoch", async () => {
    const world = await createWorldEngine(new MemoryDisk(), {}, quiet);
    const epoch = await world.openEpoch();
    await world.set([0, 0, 0, 0], 1);
    const disk = new MemoryDisk();
    await world.saveAs(disk);
    const { description } = (await openSave(disk)).global;
    expect([description.clockEpoch, description.epochs]).toEqual([epoch.number, []]);
    const copy = await reopen(disk);
    expect(copy.worldId).not.toBe(world.worldId);
    expect(copy.worldId).not.toBe(0n);
    expect(copy.knowsEpoch(epoch)).toBe(false);
    expect((await copy.openEpoch()).number).toBe(epoch.number + 1);
    await copy.close();
    await world.close();
  });
});
