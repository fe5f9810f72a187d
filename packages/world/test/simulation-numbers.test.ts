import { box, flat, type Position } from "@orthant/core";
import { Axes } from "@orthant/core/lattice";
import { PLAIN_DATA } from "@orthant/core/world";
import { type Disk, MemoryDisk } from "@orthant/disk";
import { openSave } from "@orthant/save";
import { CrashDisk, explorePowerCuts, FakeTime, type Survivor } from "@orthant/testkit";
import { createWorld, openWorld, type Simulation, type System, type World } from "@orthant/world";
import { openLoggedWorldEngine, simulate } from "@orthant/world/engine";
import { describe, expect, test } from "vitest";
import { SampleLog } from "./sample-log.ts";

type Durability = "snapshot" | "journal";

/** Numbers that a world reserves at once. */
const BLOCK = 65_536;
const MINUTE_MS = 60_000;
const LAMP: Position<3> = [1, 1, 1];

async function newDisk(): Promise<MemoryDisk> {
  const disk = new MemoryDisk();
  await (await createWorld(disk, { dimensions: 3, generator: flat({}) })).close();
  return disk;
}

function open(disk: Disk, durability: Durability, time = new FakeTime()): Promise<World<3>> {
  return openWorld(disk, { dimensions: 3, durability, time });
}

async function started(world: World<3>, system: System<3>): Promise<Simulation<3>> {
  const simulation = world.simulate({ systems: { system }, isPaused: true });
  simulation.keepActive(box([0, 0, 0], [4, 4, 4]));
  await simulation.whenActive();
  return simulation;
}

async function settled(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
}

/** Returns the attachments of a saved world as text. */
async function attachmentsOf(disk: Disk): Promise<Readonly<Record<string, string>>> {
  const save = await openSave(disk);
  const { attachments } = save.global.description;
  await save.close();
  return Object.fromEntries(attachments.map(({ key, value }) => [key, Buffer.from(value).toString("hex")]));
}

describe.each<Durability>(["snapshot", "journal"])("a simulated world with durability %s", (durability) => {
  test("[S146] writes nothing while steps change nothing", async () => {
    const disk = new CrashDisk((await newDisk()).image());
    const time = new FakeTime();
    const world = await open(disk, durability, time);
    const simulation = await started(world, () => undefined);
    await simulation.advance();
    const { generation } = world;
    const writes = disk.log.length;
    for (let minute = 0; minute < 30; minute++) {
      await simulation.advance(100);
      time.advance(MINUTE_MS);
      await settled();
    }
    await world.whenDurable();
    await world.save();
    expect(disk.log.length).toBe(writes);
    expect([world.generation, simulation.step]).toEqual([generation, 3_001]);
    await world.close();
  });

  test("[S146] has the exact number after it was closed, and also in a save", async () => {
    const disk = await newDisk();
    const world = await open(disk, durability);
    const simulation = await started(world, () => undefined);
    await simulation.advance(7);
    await world.set([9, 9, 9], 3);
    await world.save();
    // 2^16 as a varint.
    expect(await attachmentsOf(disk)).toEqual({ "orthant.step": "07", "orthant.step.numbers": "00808004" });
    await simulation.advance(2);
    await world.close();
    expect(await attachmentsOf(disk)).toEqual({ "orthant.step": "09" });
    const again = await open(disk, durability);
    const numbers: number[] = [];
    const next = await started(again, ({ number }) => void numbers.push(number));
    expect(next.step).toBe(9);
    await next.advance(2);
    expect(numbers).toEqual([10, 11]);
    await again.close();
  });

  test("[S146] never shows a number again after a power cut at any operation", async () => {
    const recorder = new CrashDisk((await newDisk()).image());
    const world = await open(recorder, durability);
    const seen: { readonly at: number; readonly number: number }[] = [];
    const simulation = await started(world, ({ number, edits }) => {
      seen.push({ at: recorder.log.length, number });
      if (number % 4 === 0) edits.set(LAMP, number % 99);
    });
    for (let round = 0; round < 3; round++) {
      await simulation.advance(3);
      await world.whenDurable();
      await simulation.advance(3);
      await world.save();
    }
    await world.close();
    const lastSeenAt = (cutAt: number): number => seen.filter(({ at }) => at <= cutAt).at(-1)?.number ?? 0;
    const nexts = new Set<number>();
    const check = async ({ disk, cutAt }: Survivor): Promise<void> => {
      for (let crash = 0, last = lastSeenAt(cutAt); crash < 2; crash++) {
        const survivor = await open(disk, durability);
        const numbers: number[] = [];
        const next = await started(survivor, ({ number }) => void numbers.push(number));
        await next.advance(2);
        const [first = 0, second] = numbers;
        expect(first).toBeGreaterThan(last);
        expect(second).toBe(first + 1);
        nexts.add(first);
        last = first + 1;
        await survivor.close();
      }
    };
    await explorePowerCuts(recorder, { disksPerCut: 2, seed: 6 }, check, (cutAt) => `${lastSeenAt(cutAt)}`);
    // Before the first step, after a crash, and after the world was closed.
    expect([...nexts].sort((a, b) => a - b)).toEqual([1, 3, 19, 21, BLOCK + 1, BLOCK + 3]);
  }, 120_000);

  // Only once, because it takes many steps.
  test.runIf(durability === "snapshot")(
    "[S146] reserves numbers before it uses the first of them",
    async () => {
      const recorder = new CrashDisk((await newDisk()).image());
      const world = await open(recorder, durability);
      const reserved: (number | undefined)[] = [];
      const simulation = await started(world, ({ number }) => {
        if (number === BLOCK || number === BLOCK + 1) reserved.push(recorder.log.length);
      });
      await simulation.advance(2);
      const writes = recorder.log.length;
      await simulation.advance(BLOCK);
      expect(reserved[0]).toBe(writes);
      expect(reserved[1]).toBeGreaterThan(writes);
      expect(recorder.log.length).toBe(reserved[1]);
      const left = new MemoryDisk(recorder.image());
      const again = await open(left, durability);
      const next = await started(again, () => undefined);
      expect(next.step).toBe(2 * BLOCK);
      await again.close();
      await world.close();
    },
    120_000,
  );

  test("[S146] keeps the steps that ticks have left when a crash skips numbers", async () => {
    const disk = await newDisk();
    const world = await open(disk, durability);
    const simulation = await started(world, ({ number, schedule }) => {
      if (number === 2) schedule.add(LAMP, "lamp", 40);
    });
    await simulation.advance(2);
    await world.whenDurable();
    const left = new MemoryDisk(disk.image());
    const again = await open(left, durability);
    const due: number[] = [];
    const next = await started(again, ({ number, schedule }) => {
      for (const _ of schedule.due("lamp")) due.push(number);
    });
    await next.advance(50);
    expect(due).toEqual([BLOCK + 40]);
    await again.close();
    await world.close();
  });
});

test("a shard of a cluster whose steps change nothing writes nothing, and logs nothing", async () => {
  const disk = new CrashDisk((await newDisk()).image());
  const time = new FakeTime();
  const log = new SampleLog(9);
  const world = await openLoggedWorldEngine(disk, log, { time });
  const steps = world.shardSteps({
    owns: () => true,
    splitCount: 0,
    newEntityId: () => 1n,
    arrivals: () => [],
    maySend: () => false,
    activeBoxes: () => [],
    during: async (make) => void (await make()),
  });
  const options = { systems: { idle: () => undefined }, isPaused: true };
  const simulation = simulate(world, new Axes<3>(world.shape), PLAIN_DATA, options, steps);
  await simulation.advance();
  const writes = disk.log.length;
  for (let minute = 0; minute < 10; minute++) {
    await simulation.advance(100);
    time.advance(MINUTE_MS);
    await settled();
  }
  expect([disk.log.length, log.entries.length, simulation.step]).toEqual([writes, 0, 1_001]);
  await simulation.stop();
  await world.close();
});
