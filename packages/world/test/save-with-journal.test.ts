import { GeneratorRegistry, type Position, type WorldGenerator } from "@orthant/core";
import { FLAT_DEFAULTS, flatGenerator, generatorRef } from "@orthant/core/generate";
import { boxBetween } from "@orthant/core/lattice";
import { MemoryDisk } from "@orthant/disk";
import { applyRepair, openSave, planRepair } from "@orthant/save";
import { JOURNAL_FOLDER } from "@orthant/save/internal";
import { FakeTime } from "@orthant/testkit";
import {
  createWorldEngine,
  type EngineOptions,
  openSaveWithJournal,
  openWorldEngine,
  planJournalRepair,
  type WorldEngine,
} from "@orthant/world/engine";
import { describe, expect, test } from "vitest";

const quiet: EngineOptions = { time: new FakeTime(), autosave: false };
const journaled: EngineOptions = { ...quiet, durability: "journal" };
const ORIGIN: Position = [0, 0, 0, 0];
const AROUND = boxBetween([-16, -16, -16, -16], [16, 16, 16, 16]);

/** Creates a world with saved content and more in its journal, left open as if its process was killed. */
async function killedWorld(disk: MemoryDisk): Promise<void> {
  const world = await createWorldEngine(disk, { name: "saved" }, journaled);
  const cow = world.entities.spawn({ kind: 1, position: [1, 1, 1, 1] });
  await world.set(ORIGIN, 1);
  await world.set([100, 0, 0, 0], 1);
  await world.save();
  await world.set(ORIGIN, 2);
  await world.set([-900, 0, 0, 0], 3);
  world.entities.change(cow.entityId, { position: [3, 1, 1, 1] });
  world.upsertPlayer({ playerId: 5n, name: "Ada" });
  world.describe({ name: "after" });
  await world.whenDurable();
}

async function requireAll(world: WorldEngine): Promise<void> {
  const voxels: readonly Position[] = [ORIGIN, [100, 0, 0, 0], [-900, 0, 0, 0]];
  expect(await Promise.all(voxels.map((voxel) => world.get(voxel)))).toEqual([2, 1, 3]);
  expect((await world.entities.in(AROUND)).map(({ position }) => position)).toEqual([[3, 1, 1, 1]]);
  expect([world.name, world.player(5n)?.name]).toEqual(["after", "Ada"]);
}

/** Damages the second group of every segment. */
function damageJournal(disk: MemoryDisk): MemoryDisk {
  const { directories, files } = disk.image();
  for (const [path, bytes] of files) if (path.startsWith(`${JOURNAL_FOLDER}/`)) bytes.fill(0xff, 110, 115);
  return new MemoryDisk({ directories, files });
}

describe("openSaveWithJournal", () => {
  test("[J30] includes the whole journal and leaves the disk unchanged", async () => {
    const disk = new MemoryDisk();
    await killedWorld(disk);
    const before = disk.image();
    const opened = await openSaveWithJournal(disk);
    expect(opened.generation).toBe((await openSave(disk)).generation);
    expect(opened.journal).toMatchObject({ changes: 5, loss: undefined });
    expect(opened.save.global.description.name).toBe("after");
    expect(opened.save.players.map(({ name }) => name)).toEqual(["Ada"]);
    const world = await openWorldEngine(opened.disk, { ...quiet, readOnly: true });
    await requireAll(world);
    await world.close();
    await opened.save.close();
    expect(disk.image()).toEqual(before);
  });

  test("[J30] returns the save itself when the journal is empty", async () => {
    const disk = new MemoryDisk();
    const world = await createWorldEngine(disk, {}, quiet);
    await world.set(ORIGIN, 1);
    await world.close();
    const opened = await openSaveWithJournal(disk);
    expect(opened.disk).toBe(disk);
    expect(opened.journal).toEqual({ changes: 0, replayed: 0, bytes: 0, loss: undefined });
    await opened.save.close();
  });

  test("[J30] includes what precedes the damage of a journal, and says what is lost", async () => {
    const disk = new MemoryDisk();
    await killedWorld(disk);
    const opened = await openSaveWithJournal(damageJournal(disk));
    expect([opened.journal.changes, opened.journal.loss?.code]).toEqual([1, "ORT_JOURNAL"]);
    const world = await openWorldEngine(opened.disk, { ...quiet, readOnly: true });
    expect([await world.get(ORIGIN), await world.get([-900, 0, 0, 0])]).toEqual([2, 0]);
    await world.close();
    await opened.save.close();
  });

  test("[J30] returns the generation alone when the world's generator is missing, and says so", async () => {
    const disk = new MemoryDisk();
    const foreign: WorldGenerator<typeof FLAT_DEFAULTS> = { ...flatGenerator, id: "test.foreign" };
    const generator = generatorRef(foreign, FLAT_DEFAULTS, 1n);
    const generators = new GeneratorRegistry([foreign]);
    const world = await createWorldEngine(disk, { generator }, { ...journaled, generators });
    await world.set(ORIGIN, 1);
    const opened = await openSaveWithJournal(disk);
    expect([opened.disk, opened.journal.loss?.code]).toEqual([disk, "ORT_GENERATOR_UNKNOWN"]);
    await opened.save.close();
    const known = await openSaveWithJournal(disk, { generators });
    expect(known.journal).toMatchObject({ changes: 1, loss: undefined });
    await known.save.close();
    await world.close();
  });
});

describe("a journal replayed onto a repaired world", () => {
  test("[J30] restores every acknowledged edit, and keeps clocks that the repair issued", async () => {
    const disk = new MemoryDisk();
    await killedWorld(disk);
    const { directories, files } = disk.image();
    for (const [path, bytes] of files) if (path.startsWith("data/")) bytes.fill(0xff, bytes.length - 8);
    const damaged = new MemoryDisk({ directories, files });
    const plan = await planRepair(damaged);
    expect(plan.losses.length).toBeGreaterThan(0);
    const mended = new MemoryDisk();
    await applyRepair(damaged, plan, mended);
    const clockBefore = (await openSave(mended)).index.touching(boxBetween(ORIGIN, [1, 1, 1, 1]));
    const epochs = [...clockBefore].flatMap(({ clocks }) => clocks.map(({ clock }) => clock));
    const repair = await planJournalRepair(damaged, plan);
    expect(repair).toMatchObject({ changes: 5, losses: [] });
    await repair.applyTo(mended);
    const world = await openWorldEngine(mended, { ...quiet, readOnly: true });
    expect([await world.get(ORIGIN), await world.get([-900, 0, 0, 0]), world.name]).toEqual([2, 3, "after"]);
    for (const epoch of epochs) expect(world.clockOf(ORIGIN)).toBeGreaterThanOrEqual(epoch);
    await world.close();
  });
});
