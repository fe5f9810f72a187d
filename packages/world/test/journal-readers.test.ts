import type { Position } from "@orthant/core";
import { boxBetween } from "@orthant/core/lattice";
import { type Disk, MemoryDisk } from "@orthant/disk";
import { copyGeneration, verifySave } from "@orthant/save";
import { JOURNAL_FOLDER } from "@orthant/save/internal";
import {
  CrashDisk,
  codeOfRejection,
  type DiskFault,
  explorePowerCuts,
  FakeTime,
  FaultDisk,
  WEAK,
} from "@orthant/testkit";
import {
  createWorldEngine,
  type EngineOptions,
  openWorldEngine,
  type WorldEngine,
} from "@orthant/world/engine";
import { describe, expect, test } from "vitest";

const quiet: EngineOptions = { time: new FakeTime(), autosave: false };
const journaled: EngineOptions = { ...quiet, durability: "journal" };
const readOnly: EngineOptions = { ...quiet, readOnly: true };
const ORIGIN: Position = [0, 0, 0, 0];
const AROUND = boxBetween([-16, -16, -16, -16], [16, 16, 16, 16]);

/** Creates a world with saved content, and more of every kind in its journal. */
async function livelyWorld(disk: Disk): Promise<WorldEngine> {
  const world = await createWorldEngine(disk, { name: "saved" }, journaled);
  const cow = world.entities.spawn({ kind: 1, position: [1, 1, 1, 1] });
  await world.set(ORIGIN, 1);
  await world.set([100, 0, 0, 0], 1);
  await world.save();
  await world.set(ORIGIN, 2);
  await world.edit([{ voxel: [-900, 0, 0, 0], block: 3 }], { origin: { clientId: 9n, editId: 4 } });
  world.entities.change(cow.entityId, { position: [3, 1, 1, 1] });
  world.upsertPlayer({ playerId: 5n, name: "Ada" });
  world.describe({ name: "after" });
  await world.whenDurable();
  return world;
}

/** Throws unless a world has all of it. */
async function requireLively(world: WorldEngine): Promise<void> {
  const voxels: readonly Position[] = [ORIGIN, [100, 0, 0, 0], [-900, 0, 0, 0]];
  expect(await Promise.all(voxels.map((voxel) => world.get(voxel)))).toEqual([2, 1, 3]);
  expect((await world.entities.in(AROUND)).map(({ position }) => position)).toEqual([[3, 1, 1, 1]]);
  expect([world.name, world.player(5n)?.name, world.lastEditOf(9n)]).toEqual(["after", "Ada", 4]);
}

/** Returns a disk on which `interrupt` runs once, before a matching file is opened. */
function withInterruption(disk: MemoryDisk, path: RegExp, interrupt: () => Promise<unknown>): Disk {
  let isOpen = true;
  return new Proxy(disk, {
    get(target, name) {
      if (name !== "open") return Reflect.get(target, name, target).bind(target);
      return async (...[at, mode]: Parameters<Disk["open"]>) => {
        if (isOpen && path.test(at)) {
          isOpen = false;
          await interrupt();
        }
        return target.open(at, mode);
      };
    },
  });
}

function damagedCopy(disk: MemoryDisk): MemoryDisk {
  const { directories, files } = disk.image();
  // In the second group of the segment.
  for (const [path, bytes] of files) if (path.startsWith(`${JOURNAL_FOLDER}/`)) bytes.fill(0xff, 110, 115);
  return new MemoryDisk({ directories, files });
}

describe("a read-only world", () => {
  test("[J17] includes the journal, and writes nothing", async () => {
    const disk = new MemoryDisk();
    const world = await livelyWorld(disk);
    const before = disk.image();
    const reader = await openWorldEngine(disk, readOnly);
    await requireLively(reader);
    expect(reader.clockOf(ORIGIN)).toBe(world.clockOf(ORIGIN));
    expect(reader.generation).toBe(world.generation);
    expect(await codeOfRejection(reader.set(ORIGIN, 9))).toBe("ORT_READ_ONLY");
    await reader.close();
    expect(disk.image()).toEqual(before);
    await world.close();
    await requireLively(await openWorldEngine(disk, readOnly));
  });

  test("[J17] opens a generation saved meanwhile when a segment is removed under it", async () => {
    const disk = new MemoryDisk();
    const world = await livelyWorld(disk);
    for (const path of [/^journal\//, /^manifest/, /^players/]) {
      await world.set([0, 50, 0, 0], world.generation);
      const racing = withInterruption(disk, path, async () => {
        await world.save();
        await world.set([0, 60, 0, 0], world.generation);
      });
      const reader = await openWorldEngine(racing, readOnly);
      await requireLively(reader);
      expect([await reader.get([0, 60, 0, 0]), reader.generation], `${path}`).toEqual([
        world.generation,
        world.generation,
      ]);
      expect(await reader.get([0, 50, 0, 0])).toBe(world.generation - 1);
      await reader.close();
    }
    await world.close();
  });

  test("[J17] includes what precedes the damage, unless the options refuse it", async () => {
    const disk = new MemoryDisk();
    const world = await livelyWorld(disk);
    const damaged = damagedCopy(disk);
    const reader = await openWorldEngine(damaged, readOnly);
    expect([await reader.get(ORIGIN), await reader.get([-900, 0, 0, 0])]).toEqual([2, 0]);
    await reader.close();
    expect(await codeOfRejection(openWorldEngine(damaged, { ...readOnly, damagedJournal: "refuse" }))).toBe(
      "ORT_JOURNAL",
    );
    await world.close();
  });

  test("[J17] writes everything to another disk, repeatedly if asked", async () => {
    const disk = new MemoryDisk();
    const world = await livelyWorld(disk);
    const reader = await openWorldEngine(disk, readOnly);
    for (let copies = 0; copies < 2; copies++) {
      const target = new MemoryDisk();
      await reader.saveAs(target);
      expect(await verifySave(target)).toEqual([]);
      const copy = await openWorldEngine(target, quiet);
      await requireLively(copy);
      expect([copy.generation, copy.clockOf(ORIGIN)]).toEqual([0, world.clockOf(ORIGIN)]);
      expect(copy.worldId).not.toBe(world.worldId);
      await copy.close();
    }
    await reader.close();
    await world.close();
  });
});

describe("a copy of the live generation", () => {
  test("[J19] includes the journal, and so does a copy of the copy", async () => {
    const disk = new MemoryDisk();
    const world = await livelyWorld(disk);
    const backup = new MemoryDisk();
    const copied = await copyGeneration(disk, backup);
    expect([copied.generation, copied.changes]).toEqual([world.generation, 5]);
    await world.set(ORIGIN, 7);
    await world.close();
    const restored = new MemoryDisk();
    expect((await copyGeneration(backup, restored)).changes).toBe(5);
    for (const copy of [backup, restored]) {
      await requireLively(await openWorldEngine(copy, readOnly));
      const open = await openWorldEngine(copy, journaled);
      await requireLively(open);
      await open.set(ORIGIN, 8);
      await open.close();
      expect(await copy.list(JOURNAL_FOLDER)).toEqual([]);
    }
  });

  test("[J19] is of the generation saved meanwhile when a segment is removed under it", async () => {
    const disk = new MemoryDisk();
    const world = await livelyWorld(disk);
    const racing = withInterruption(disk, /^journal\//, async () => {
      await world.save();
      await world.set([0, 60, 0, 0], 6);
    });
    const backup = new MemoryDisk();
    expect(await copyGeneration(racing, backup)).toMatchObject({ generation: world.generation, changes: 1 });
    const open = await openWorldEngine(backup, quiet);
    await requireLively(open);
    expect(await open.get([0, 60, 0, 0])).toBe(6);
    await open.close();
    await world.close();
  });

  describe("during power cuts", () => {
    /** Copies a world with a journal and cuts the power everywhere; throws when a save is incomplete. */
    async function prove(fault?: Omit<DiskFault, "kind" | "nth">): Promise<number> {
      const disk = new MemoryDisk();
      const world = await livelyWorld(disk);
      const recorder = new CrashDisk();
      const target =
        fault === undefined
          ? recorder
          : new FaultDisk(recorder, { ...fault, kind: "skip", nth: 1, sticky: true });
      await copyGeneration(disk, target);
      await world.close();
      let whole = 0;
      const options = { models: [WEAK], disksPerCut: 24, seed: 3 };
      await explorePowerCuts(recorder, options, async ({ disk: left, cutAt }) => {
        if (!(await left.list("")).some(({ name }) => name === "manifest.json")) {
          if (cutAt === recorder.log.length) throw new Error("a copy that was done is gone");
          return;
        }
        await requireLively(await openWorldEngine(left, readOnly));
        whole++;
      });
      return whole;
    }

    test("[J19] leaves the whole copy or no save", async () => {
      expect(await prove()).toBeGreaterThan(0);
    });

    test.each<[step: string, fault: Omit<DiskFault, "kind" | "nth">]>([
      ["the sync of a segment", { operation: "sync", path: /^journal\// }],
      ["the sync of journal/", { operation: "syncDirectory", path: /^journal$/ }],
      ["the making of journal/", { operation: "makeDirectory", path: /^journal$/ }],
    ])("[J19] fails to do so without %s", async (_step, fault) => {
      await expect(prove(fault)).rejects.toThrow();
    });
  });

  test("[J19] is rejected when the journal is damaged; a generation selected by number is copied without it", async () => {
    const disk = new MemoryDisk();
    const world = await livelyWorld(disk);
    const damaged = damagedCopy(disk);
    await expect(copyGeneration(damaged, new MemoryDisk())).rejects.toThrow(
      /ORT_JOURNAL.*name the generation/,
    );
    const alone = new MemoryDisk();
    const { generation } = world;
    expect(await copyGeneration(damaged, alone, { generation })).toMatchObject({ generation, changes: 0 });
    const open = await openWorldEngine(alone, quiet);
    expect(await open.get(ORIGIN)).toBe(1);
    await open.close();
    await world.close();
  });
});
