import { chunkFromVoxels, type Position, uniformChunk } from "@orthant/core";
import { boxBetween } from "@orthant/core/lattice";
import { changeNumberOf, epochOf } from "@orthant/core/tree";
import { MemoryDisk } from "@orthant/disk";
import { isWhole } from "@orthant/disk/files";
import { openSave, verifySave } from "@orthant/save";
import { JOURNAL_ENTRY_BYTES_MAX, JOURNAL_FOLDER, JOURNAL_SEGMENT_BYTES_MAX } from "@orthant/save/internal";
import { codeOfRejection, FakeTime, FaultDisk, Prng } from "@orthant/testkit";
import {
  createWorldEngine,
  type EngineOptions,
  openWorldEngine,
  type WorldEngine,
} from "@orthant/world/engine";
import { describe, expect, test } from "vitest";
import { SlowDisk } from "./slow-disk.ts";

const quiet: EngineOptions = { time: new FakeTime(), autosave: false };
const journaled: EngineOptions = { ...quiet, durability: "journal" };
const JOURNAL = /^journal\//;
const ORIGIN: Position = [0, 0, 0, 0];
const VOLUME = 4_096;

/** Returns the world that a program finds that opens the current disk, as if this one had died. */
async function afterCrash(disk: MemoryDisk, options: EngineOptions = quiet): Promise<WorldEngine> {
  return openWorldEngine(new MemoryDisk(disk.image()), options);
}

async function journalFiles(disk: MemoryDisk): Promise<readonly string[]> {
  return (await disk.list(JOURNAL_FOLDER)).map(({ name }) => name);
}

const prng = new Prng(1);
/** A chunk that takes many bytes. */
const DENSE = chunkFromVoxels(Uint16Array.from({ length: VOLUME }, () => prng.below(0x1_0000)));

/** Returns enough of them, side by side, to take this many bytes. */
function denseChunks(bytes: number, y: number): readonly (readonly [Position, typeof DENSE])[] {
  return Array.from({ length: Math.ceil(bytes / DENSE.byteLength) }, (_, x) => [[x, y, 0, 0], DENSE]);
}

describe("a world with a journal", () => {
  test("[J14] has, after a crash, every edit whose promise resolved, with the same clocks", async () => {
    const disk = new MemoryDisk();
    const world = await createWorldEngine(disk, { name: "first" }, journaled);
    const { generation } = world;
    const { clocks } = await world.set([3, 4, 5, 6], 7);
    await world.fill(boxBetween([100, 0, 0, 0], [140, 8, 8, 8]), 9);
    await world.copy(boxBetween([100, 0, 0, 0], [109, 2, 2, 2]), [100, 20, 0, 0]);
    await world.setChunks([[[50, 0, 0, 0], uniformChunk(VOLUME, 5)]]);
    const before = world.clockOf(ORIGIN);
    expect(world.generation).toBe(generation);
    const found = await afterCrash(disk);
    expect(await found.get([3, 4, 5, 6])).toBe(7);
    expect(await found.get([139, 7, 7, 7])).toBe(9);
    expect(await found.get([108, 21, 1, 1])).toBe(9);
    expect(await found.get([400, 0, 0, 0])).toBe(5);
    expect(found.clockOf(ORIGIN)).toBe(before);
    expect(clocks).toEqual([{ region: ORIGIN, before: 0, after: before }]);
    const clock = found.clockOf([3, 0, 0, 0]) ?? 0;
    expect(clock).toBe(world.clockOf([3, 0, 0, 0]));
    expect(changeNumberOf(clock)).toBe(2);
    const [next] = (await found.set([3, 4, 5, 6], 8)).clocks;
    expect(next?.before).toBe(before);
    expect(epochOf(next?.after ?? 0)).toBe(2);
    await found.close();
    await world.close();
  });

  test("[J14] keeps what was saved around an edit if the journal spans more regions than stay in memory", async () => {
    const disk = new MemoryDisk();
    const world = await createWorldEngine(disk, {}, journaled);
    const corners = Array.from({ length: 40 }, (_, at): Position => [at * 100, 0, 0, 0]);
    for (const [x, y, z, w] of corners) await world.fill(boxBetween([x, y, z, w], [x + 30, 4, 4, 4]), 6);
    for (const voxel of corners) await world.edit([{ voxel, data: Uint8Array.of(voxel[0] / 100) }]);
    await world.save();
    for (const [x] of corners) await world.set([x + 1, 0, 0, 0], 7);
    // Two regions at once.
    await world.edit(corners.slice(0, 2).map(([x]) => ({ voxel: [x + 2, 0, 0, 0], block: 8 })));
    const crashed = new MemoryDisk(disk.image());
    await (await openWorldEngine(crashed, { ...journaled, loadedBytesMax: 1 })).close();
    const found = await openWorldEngine(crashed, quiet);
    for (const [at, [x]] of corners.entries()) {
      const row = await Promise.all([0, 1, 2, 3, 29].map((dx) => found.get([x + dx, 0, 0, 0])));
      expect(row, `at ${x}`).toEqual([6, 7, at < 2 ? 8 : 6, 6, 6]);
      expect(found.state.dataAt(x, 0, 0, 0)).toEqual(Uint8Array.of(at));
    }
    await found.close();
    await world.close();
  });

  test("[J8] [J9] [J10] has durable entities, players and its description after a crash", async () => {
    const disk = new MemoryDisk();
    const world = await createWorldEngine(disk, {}, journaled);
    const sheep = world.entities.spawn({ kind: 1, position: [1, 2, 3, 4], displayName: "Dolly" });
    const wolf = world.entities.spawn({ kind: 2, position: [500, 2, 3, 4] });
    const bird = world.entities.spawn({ kind: 3, position: [-900, 2, 3, 4] });
    await world.save();
    world.entities.change(sheep.entityId, { position: [1.5, 2, 3, 4] });
    world.entities.change(wolf.entityId, { position: [-400_000, 2, 3, 4] });
    world.entities.change(wolf.entityId, { position: [-400_001, 2, 3, 4] });
    world.entities.despawn(bird.entityId);
    const fish = world.entities.spawn({ kind: 4, position: [0, 0, 0, 0] });
    world.entities.despawn(fish.entityId);
    world.upsertPlayer({ playerId: 5n, name: "Ada", position: [1, 1, 1, 1] });
    world.describe({ name: "renamed", spawn: [1, 2, 3, 4] });
    await world.whenDurable();
    const found = await afterCrash(disk);
    const everywhere = boxBetween([-1e6, -1e6, -1e6, -1e6], [1e6, 1e6, 1e6, 1e6]);
    expect((await found.entities.in(everywhere)).map(({ kind, position }) => [kind, ...position])).toEqual([
      [1, 1.5, 2, 3, 4],
      [2, -400_001, 2, 3, 4],
    ]);
    expect(found.player(5n)?.name).toBe("Ada");
    expect(found.name).toBe("renamed");
    expect(found.spawn).toEqual([1, 2, 3, 4]);
    expect(found.entities.spawn({ kind: 1, position: [0, 0, 0, 0] }).entityId).toBe(fish.entityId + 1n);
    await found.close();
    await world.close();
  });

  test("[J7] knows after a crash which edits of a client were applied", async () => {
    const disk = new MemoryDisk();
    const world = await createWorldEngine(disk, {}, journaled);
    await world.edit([{ voxel: ORIGIN, block: 3 }], { origin: { clientId: 9n, editId: 4 } });
    await world.edit([{ voxel: ORIGIN, block: 3 }], { origin: { clientId: 9n, editId: 5 } });
    const found = await afterCrash(disk);
    expect(found.lastEditOf(9n)).toBe(5);
    const again = await found.edit([{ voxel: ORIGIN, block: 8 }], { origin: { clientId: 9n, editId: 5 } });
    expect(again.status).toBe("duplicate");
    expect(await found.get(ORIGIN)).toBe(3);
    await found.close();
    await world.close();
  });

  test("[J15] is saved under a new epoch when it is reopened, and leaves no journal behind", async () => {
    const disk = new MemoryDisk();
    const world = await createWorldEngine(disk, {}, journaled);
    const epoch = await world.openEpoch();
    await world.set(ORIGIN, 1);
    expect(await journalFiles(disk)).toEqual(["g0000000000000001.e00000001.v4jn"]);
    const copy = new MemoryDisk(disk.image());
    for (const options of [quiet, journaled]) {
      const found = await openWorldEngine(copy, options);
      expect(found.knowsEpoch(epoch)).toBe(true);
      expect((await found.openEpoch()).number).toBeGreaterThan(epoch.number);
      expect((await journalFiles(copy)).filter((name) => name.includes(".e00000001."))).toEqual([]);
      expect(await found.get(ORIGIN)).toBe(1);
      await found.close();
      expect(await journalFiles(copy)).toEqual([]);
    }
    await world.close();
    expect(await journalFiles(disk)).toEqual([]);
  });

  test("[J3] ignores and removes a segment of a past generation or epoch", async () => {
    const disk = new MemoryDisk();
    const world = await createWorldEngine(disk, {}, journaled);
    await world.set(ORIGIN, 1);
    const old = disk.image();
    await world.set(ORIGIN, 2);
    await world.save();
    await world.set(ORIGIN, 3);
    const files = new Map(disk.image().files);
    for (const [path, bytes] of old.files) if (JOURNAL.test(path)) files.set(path, bytes);
    const [name = ""] = await journalFiles(disk);
    const bytes = files.get(`${JOURNAL_FOLDER}/${name}`) ?? new Uint8Array(0);
    files.set(`${JOURNAL_FOLDER}/${name.replace("e00000001", "e00000000")}`, bytes);
    const copy = new MemoryDisk({ directories: old.directories, files });
    expect(isWhole(await verifySave(copy))).toBe(true);
    const found = await openWorldEngine(copy, quiet);
    expect(await found.get(ORIGIN)).toBe(3);
    expect(await journalFiles(copy)).toEqual([]);
    await found.close();
    await world.close();
  });

  test("shows an edit at once, and resolves its promise when it is synced", async () => {
    const slow = new SlowDisk(new MemoryDisk());
    const world = await createWorldEngine(slow, {}, journaled);
    const heard: number[] = [];
    world.onEdit(({ clocks }) => heard.push(clocks.length));
    const sync = slow.holdNext("sync", JOURNAL);
    let kept = false;
    const edit = world.set(ORIGIN, 1).then(() => {
      kept = true;
    });
    await sync.reached;
    expect(heard).toEqual([1]);
    expect(await world.get(ORIGIN)).toBe(1);
    // A caller that does not want to wait need not.
    await world.edit([{ voxel: [1, 0, 0, 0], block: 1 }], { wait: "applied" });
    // This edit changes nothing, but it implies that the voxel is 1, which is not durable yet.
    let repeatedKept = false;
    const repeated = world.set(ORIGIN, 1).then(() => {
      repeatedKept = true;
    });
    expect(await world.get([1, 0, 0, 0])).toBe(1);
    expect([kept, repeatedKept]).toEqual([false, false]);
    sync.release();
    await edit;
    await repeated;
    await world.close();
  });

  test("[J11] syncs the edits of many writers together", async () => {
    const disk = new FaultDisk(new MemoryDisk());
    const world = await createWorldEngine(disk, {}, journaled);
    await world.set(ORIGIN, 1);
    const before = disk.calls.get("sync") ?? 0;
    for (let round = 0; round < 10; round++) {
      const edits = Array.from({ length: 64 }, (_, writer) => world.set([writer, round, 0, 0], round + 1));
      await Promise.all(edits);
    }
    expect((disk.calls.get("sync") ?? 0) - before).toBe(10);
    await world.close();
  });

  test("[J12] continues in another segment during a save, and a crash meanwhile loses nothing", async () => {
    const disk = new MemoryDisk();
    const slow = new SlowDisk(disk);
    const world = await createWorldEngine(slow, {}, journaled);
    await world.set(ORIGIN, 1);
    const sync = slow.holdNext("sync", /^data\//);
    const saving = world.save();
    await sync.reached;
    await world.set([1, 0, 0, 0], 2);
    const beside = world.entities.spawn({ kind: 1, position: [0, 0, 0, 0] });
    world.entities.change(beside.entityId, { position: [3, 0, 0, 0] });
    await world.whenDurable();
    expect(await journalFiles(disk)).toHaveLength(2);
    const found = await afterCrash(disk);
    expect([await found.get(ORIGIN), await found.get([1, 0, 0, 0])]).toEqual([1, 2]);
    await found.entities.in(boxBetween([0, 0, 0, 0], [8, 8, 8, 8]));
    expect(found.entities.get(beside.entityId)?.position).toEqual([3, 0, 0, 0]);
    await found.close();
    sync.release();
    await saving;
    expect(await journalFiles(disk)).toEqual(["g0000000000000002.e00000001.v4jn"]);
    const later = await afterCrash(disk);
    expect([await later.get(ORIGIN), await later.get([1, 0, 0, 0])]).toEqual([1, 2]);
    await later.close();
    await world.close();
  });

  test("[J16] saves automatically when a segment is long", async () => {
    const disk = new MemoryDisk();
    const world = await createWorldEngine(disk, {}, journaled);
    const { generation } = world;
    for (let part = 0; part < 5; part++) {
      await world.setChunks(denseChunks(JOURNAL_SEGMENT_BYTES_MAX / 4, part));
    }
    await expect.poll(() => world.generation, { timeout: 20_000 }).toBeGreaterThan(generation);
    await world.close();
  });

  test("[J16] saves an edit that is too large for the journal before resolving it, and keeps the order", async () => {
    const disk = new MemoryDisk();
    const slow = new SlowDisk(disk);
    const world = await createWorldEngine(slow, {}, journaled);
    const { generation } = world;
    await world.set([0, 500, 0, 0], 1);
    const chunks = denseChunks(JOURNAL_ENTRY_BYTES_MAX, 0);
    const sync = slow.holdNext("sync", /^data\//);
    const large = world.setChunks(chunks);
    await sync.reached;
    // It came after the large one, so it must not exist without it.
    const small = world.set([0, 600, 0, 0], 2);
    await Promise.all(Array.from({ length: 100 }, () => world.get(ORIGIN)));
    const cut = await afterCrash(disk);
    expect([await cut.get([0, 500, 0, 0]), await cut.get([0, 600, 0, 0])]).toEqual([1, 0]);
    expect(await cut.get(ORIGIN)).toBe(0);
    await cut.close();
    sync.release();
    await large;
    await small;
    expect(world.generation).toBe(generation + 1);
    const found = await afterCrash(disk);
    expect([await found.get([0, 500, 0, 0]), await found.get([0, 600, 0, 0])]).toEqual([1, 2]);
    expect((await found.chunk([chunks.length - 1, 0, 0, 0])).equals(DENSE)).toBe(true);
    await found.close();
    await world.close();
  });

  test("[J13] accepts nothing more when the journal cannot be synced", async () => {
    const behind = new MemoryDisk();
    const disk = new FaultDisk(behind, { operation: "sync", path: JOURNAL, kind: "io", nth: 3 });
    const world = await createWorldEngine(disk, {}, journaled);
    const heard: unknown[] = [];
    world.onFailure((failure) => heard.push(failure));
    await world.set(ORIGIN, 1);
    const codes = await Promise.all([2, 3].map((value) => codeOfRejection(world.set(ORIGIN, value))));
    expect(codes).toEqual(["ORT_SAVE_FAILED", "ORT_SAVE_FAILED"]);
    expect(heard).toEqual([world.failure]);
    expect(await codeOfRejection(world.set(ORIGIN, 4))).toBe("ORT_SAVE_FAILED");
    expect(await codeOfRejection(world.save())).toBe("ORT_SAVE_FAILED");
    expect(await codeOfRejection(world.whenDurable())).toBe("ORT_SAVE_FAILED");
    expect(() => world.upsertPlayer({ playerId: 1n })).toThrow("ORT_SAVE_FAILED");
    await world.close();
    const found = await afterCrash(behind);
    expect([1, 3]).toContain(await found.get(ORIGIN));
    await found.close();
  });

  test("reports a journal failure that no caller awaited when it is closed", async () => {
    const disk = new FaultDisk(new MemoryDisk(), {
      operation: "writeAt",
      path: JOURNAL,
      kind: "full",
      nth: 2,
    });
    const world = await createWorldEngine(disk, {}, journaled);
    world.upsertPlayer({ playerId: 1n });
    await expect.poll(() => world.failure).toBeDefined();
    expect(await codeOfRejection(world.close())).toBe("ORT_SAVE_FAILED");
  });

  test("verify reports how much is in the journal", async () => {
    const disk = new MemoryDisk();
    const world = await createWorldEngine(disk, {}, journaled);
    await Promise.all([world.set(ORIGIN, 1), world.set(ORIGIN, 2)]);
    const findings = await verifySave(disk);
    expect(isWhole(findings)).toBe(true);
    expect(findings.map(({ message }) => message)).toEqual([
      "2 changes since generation 1: open the world to save them",
    ]);
    await world.close();
    expect(await verifySave(disk)).toEqual([]);
  });

  test('a world without `durability: "journal"` writes no journal and creates no folder for one', async () => {
    const disk = new MemoryDisk();
    const world = await createWorldEngine(disk, {}, quiet);
    await world.set(ORIGIN, 1);
    await world.close();
    expect(await codeOfRejection(disk.list(JOURNAL_FOLDER))).toBe("ORT_NOT_FOUND");
    const save = await openSave(disk);
    expect(save.generation).toBe(2);
    await save.close();
  });
});
