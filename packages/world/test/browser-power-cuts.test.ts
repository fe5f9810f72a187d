import { nextTurn } from "@orthant/core/time";
import { type DiskImage, MemoryDisk } from "@orthant/disk";
import { isWhole } from "@orthant/disk/files";
import { verifySave } from "@orthant/save";
import { CrashDisk, explorePowerCuts, FakeTime, OPFS, type Survivor } from "@orthant/testkit";
import { createWorldEngine, openWorldEngine, type WorldEngine } from "@orthant/world/engine";
import { expect, test } from "vitest";

const time = new FakeTime();
const quiet = { time, autosave: false };
const SAVES = 4;
const options = { models: [OPFS], disksPerCut: 10, seed: 23 };

async function worldImage(): Promise<DiskImage> {
  const disk = new MemoryDisk();
  await (await createWorldEngine(disk, {}, quiet)).close();
  return disk.image();
}

/** Makes the edits of the n-th save of these tests. */
async function build(world: WorldEngine, save: number): Promise<void> {
  await world.fill({ min: [save * 40, 0, 0, 0], max: [save * 40 + 20, 8, 8, 1] }, 1 + save);
  await world.set([0, 20, 0, 0], save);
}

/** Returns the last save on a disk, after checking all of it. */
async function lastSave(disk: MemoryDisk): Promise<number> {
  expect(isWhole(await verifySave(disk))).toBe(true);
  const world = await openWorldEngine(disk, quiet);
  const last = await world.get([0, 20, 0, 0]);
  for (let save = 1; save <= SAVES; save++) {
    expect(await world.get([save * 40 + 7, 3, 3, 0])).toBe(save <= last ? 1 + save : 0);
  }
  await build(world, SAVES + 1);
  await world.close();
  return last;
}

/** Waits for work that pauses between its slices. */
async function whileTimePasses<Result>(work: Promise<Result>): Promise<Result> {
  let isDone = false;
  const end = (): void => {
    isDone = true;
  };
  work.then(end, end);
  while (!isDone) {
    time.advance(1);
    await nextTurn();
  }
  return work;
}

async function savedOften(): Promise<CrashDisk> {
  const disk = new CrashDisk(await worldImage());
  const world = await openWorldEngine(disk, { ...quiet, retention: { newest: 1, hours: 0, days: 0 } });
  for (let save = 1; save <= SAVES; save++) {
    await build(world, save);
    await world.save();
    if (save === 3) await whileTimePasses(world.compact());
  }
  await world.close();
  return disk;
}

test("after any power cut, a world in a browser matches one of its saves and can be written", async () => {
  const found = new Set<number>();
  const check = async ({ disk }: Survivor): Promise<void> => {
    found.add(await lastSave(disk));
  };
  await explorePowerCuts(await savedOften(), options, check);
  // The oldest names may come back, and the newest may all be there.
  expect([...found].sort()).toEqual([0, 1, 2, 3, 4]);
}, 240_000);

test("a world in a browser would be lost if removed files were not kept for a while", async () => {
  const disk = await savedOften();
  const check = async ({ disk: left, cutAt }: Survivor): Promise<void> => {
    for (const operation of disk.log.slice(0, cutAt)) {
      if (operation.kind === "remove") await left.remove(operation.path);
    }
    await lastSave(left);
  };
  await expect(explorePowerCuts(disk, options, check)).rejects.toThrow("model opfs");
}, 240_000);

test("after a power cut, a journal in a browser restores the edits up to some moment", async () => {
  const disk = new CrashDisk(await worldImage());
  const world = await openWorldEngine(disk, { ...quiet, durability: "journal" });
  for (let edit = 0; edit < 12; edit++) {
    await world.set([edit, 0, 0, 0], 1);
    if (edit === 6) await world.save();
  }
  const found = new Set<number>();
  await explorePowerCuts(disk, options, async ({ disk: left }) => {
    const after = await openWorldEngine(left, quiet);
    const edits = await Promise.all(Array.from({ length: 12 }, (_, edit) => after.get([edit, 0, 0, 0])));
    const count = edits.filter((block) => block === 1).length;
    expect(edits.slice(0, count).every((block) => block === 1)).toBe(true);
    found.add(count);
    await after.close();
  });
  expect(found).toContain(0);
  expect(found).toContain(12);
}, 240_000);
