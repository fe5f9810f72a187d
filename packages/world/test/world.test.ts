import { CUBE_CHUNKS, type Position, TILE_CHUNKS } from "@orthant/core";
import { FLAT_DEFAULTS, flatGenerator, generatorRef } from "@orthant/core/generate";
import { boxBetween } from "@orthant/core/lattice";
import { MemoryDisk } from "@orthant/disk";
import { openSave } from "@orthant/save";
import { allLeaves } from "@orthant/save/internal";
import { codeOfRejection, FakeTime } from "@orthant/testkit";
import { createWorldEngine, openWorldEngine, type WorldEngine } from "@orthant/world/engine";
import { describe, expect, test } from "vitest";
import { player } from "./sample-player.ts";

const FLOOR = generatorRef(flatGenerator, { ...FLAT_DEFAULTS, block: 5 }, 7n);

async function flatWorld(disk = new MemoryDisk(), time = new FakeTime()): Promise<WorldEngine> {
  return createWorldEngine(disk, { name: "Test", generator: FLOOR }, { time, autosave: false });
}

async function reopen(disk: MemoryDisk): Promise<WorldEngine> {
  return openWorldEngine(disk, { time: new FakeTime(), autosave: false });
}

describe("a new world", () => {
  test("[checklist 1] reopens empty, with its description", async () => {
    const disk = new MemoryDisk();
    const world = await createWorldEngine(
      disk,
      { name: "Isles", shape: CUBE_CHUNKS, spawn: [1, 2, 3, 0] },
      { autosave: false },
    );
    await world.close();
    const again = await reopen(disk);
    expect([again.name, again.spawn, again.shape.extents]).toEqual(["Isles", [1, 2, 3, 0], [16, 16, 16, 1]]);
    expect(again.catalog.byName("stone")?.solid).toBe(true);
    expect(await again.get([0, 0, 0, 0])).toBe(0);
    await again.close();
  });

  test("is never created where something exists already", async () => {
    const disk = new MemoryDisk();
    await (await flatWorld(disk)).close();
    expect(await codeOfRejection(createWorldEngine(disk))).toBe("ORT_NOT_EMPTY");
    const other = new MemoryDisk({ directories: [], files: new Map([["notes.txt", new Uint8Array(1)]]) });
    expect(await codeOfRejection(createWorldEngine(other))).toBe("ORT_NOT_EMPTY");
    expect(await codeOfRejection(openWorldEngine(new MemoryDisk()))).toBe("ORT_NOT_FOUND");
  });

  test("has one writer, and readers beside it", async () => {
    const disk = new MemoryDisk();
    const world = await flatWorld(disk);
    expect(await codeOfRejection(openWorldEngine(disk))).toBe("ORT_LOCKED");
    const reader = await openWorldEngine(disk, { readOnly: true });
    expect(await reader.get([0, -1, 0, 0])).toBe(5);
    expect(await codeOfRejection(reader.set([0, 0, 0, 0], 1))).toBe("ORT_READ_ONLY");
    await reader.close();
    await world.close();
    await (await reopen(disk)).close();
  });
});

describe("voxels", () => {
  test("are generated until they are edited, and again when the edit is undone", async () => {
    const disk = new MemoryDisk();
    const world = await flatWorld(disk);
    expect(await world.get([3, -1, 3, 3])).toBe(5);
    await world.set([3, -1, 3, 3], 0);
    expect(await world.get([3, -1, 3, 3])).toBe(0);
    await world.save();
    await world.set([3, -1, 3, 3], 5);
    await world.close();
    const save = await openSave(disk);
    expect((await allLeaves(save.index)).flatMap(({ chunkRefs }) => chunkRefs)).toEqual([]);
    expect((await allLeaves(save.index)).flatMap(({ clocks }) => clocks)).toHaveLength(1);
    await save.close();
  });

  test("voxels far apart are restored from disk, in few files", async () => {
    const disk = new MemoryDisk();
    const world = await flatWorld(disk);
    const positions: Position[] = [
      [0, 0, 0, 0],
      [-1, -1, -1, -1],
      [1_000_000, 5, -1_000_000, 77],
      [8 * (2 ** 31 - 1), 0, 0, 0],
      [-8 * 2 ** 31, 0, 0, 0],
    ];
    for (const [index, position] of positions.entries()) await world.set(position, 100 + index);
    await world.close();
    expect((await disk.list("data")).length).toBe(1);
    const again = await reopen(disk);
    for (const [index, position] of positions.entries()) expect(await again.get(position)).toBe(100 + index);
    expect(await again.get([1, 0, 0, 0])).toBe(0);
    expect(await again.get([1, -1, 0, 0])).toBe(5);
    await again.close();
  });

  test("change in batches, filled boxes and copies, in the requested order", async () => {
    const disk = new MemoryDisk();
    const world = await flatWorld(disk);
    const box = boxBetween([-3, 2, -9, 0], [20, 12, 9, 3]);
    const edits = [
      world.fill(box, 7),
      world.edit([
        { voxel: [0, 5, 0, 0], block: 1 },
        { voxel: [0, 5, 0, 0], block: 2 },
      ]),
      world.copy(boxBetween([-1, 4, -1, 0], [2, 7, 2, 1]), [100, 100, 100, 100]),
      world.set([101, 101, 101, 100], 3),
    ];
    await Promise.all(edits);
    const check = async (open: WorldEngine): Promise<void> => {
      expect(await open.get([-3, 2, -9, 0])).toBe(7);
      expect(await open.get([-4, 2, -9, 0])).toBe(0);
      expect(await open.get([19, 11, 8, 2])).toBe(7);
      expect(await open.get([20, 11, 8, 2])).toBe(0);
      expect(await open.get([0, 5, 0, 0])).toBe(2);
      expect(await open.get([100, 100, 100, 100])).toBe(7);
      expect(await open.get([101, 101, 101, 100])).toBe(3);
      expect(await open.get([102, 102, 102, 100])).toBe(7);
    };
    await check(world);
    await world.close();
    const again = await reopen(disk);
    await check(again);
    await again.close();
  });

  test("voxels of a flat world have a plane of chunks", async () => {
    const disk = new MemoryDisk();
    const world = await createWorldEngine(disk, { shape: TILE_CHUNKS }, { autosave: false });
    await world.fill(boxBetween([-40, -40, 0, 0], [40, 40, 1, 1]), 9);
    await world.close();
    const again = await reopen(disk);
    expect(await again.get([-40, 39, 0, 0])).toBe(9);
    expect(await again.get([40, 39, 0, 0])).toBe(0);
    await again.close();
  });

  test("report which chunks an edit changed, and nothing when it changed nothing", async () => {
    const world = await flatWorld();
    const heard: number[] = [];
    const stop = world.onEdit(({ chunks }) => heard.push(chunks.length));
    const edit = await world.fill(boxBetween([0, 0, 0, 0], [16, 8, 8, 8]), 3);
    expect(edit.chunks).toEqual([
      [0, 0, 0, 0],
      [1, 0, 0, 0],
    ]);
    expect(edit.clocks.map(({ region }) => region)).toEqual([[0, 0, 0, 0]]);
    expect(await world.set([0, 0, 0, 0], 3)).toEqual({ chunks: [], clocks: [], status: "unchanged" });
    stop();
    await world.set([0, 0, 0, 0], 4);
    expect(heard).toEqual([2]);
    await world.close();
  });

  test("reject an edit that is far too large, with advice", async () => {
    const world = await flatWorld();
    const huge = boxBetween([0, 0, 0, 0], [10_000, 10_000, 10_000, 1]);
    await expect(world.fill(huge, 1)).rejects.toThrow("fill the box in parts");
    await expect(world.copy(huge, [0, 0, 0, 0])).rejects.toThrow("copy the box in parts");
    await world.close();
  });
});

describe("region clocks", () => {
  test("rise with every edit and are never issued twice, not even after a crash", async () => {
    const disk = new MemoryDisk();
    const world = await flatWorld(disk);
    const [first] = (await world.set([0, 0, 0, 0], 1)).clocks;
    await world.save();
    const [lost] = (await world.set([0, 0, 0, 0], 2)).clocks;
    // The process dies here: the last edit was never saved.
    const crashed = new MemoryDisk(disk.image());
    const again = await reopen(crashed);
    expect(await again.get([0, 0, 0, 0])).toBe(1);
    const [next] = (await again.set([0, 0, 0, 0], 3)).clocks;
    expect(next?.before).toBe(first?.after);
    expect(lost?.after).toBeGreaterThan(first?.after ?? 0);
    expect(next?.after).toBeGreaterThan(lost?.after ?? 0);
    await again.close();
  });
});

describe("saving", () => {
  test("returns the generation, and the same one when there is nothing to save", async () => {
    const world = await flatWorld();
    await world.set([0, 0, 0, 0], 1);
    const generation = await world.save();
    expect(await world.save()).toBe(generation);
    await world.set([0, 0, 0, 0], 2);
    expect(await world.save()).toBe(generation + 1);
    await world.close();
  });

  test("does not hold up edits, which belong to the next generation", async () => {
    const disk = new MemoryDisk();
    const world = await flatWorld(disk);
    await world.set([0, 0, 0, 0], 1);
    const saving = world.save();
    const editing = world.set([0, 0, 0, 0], 2);
    const generation = await saving;
    await editing;
    const saved = new MemoryDisk(disk.image());
    expect((await openSave(saved)).generation).toBe(generation);
    expect(await world.get([0, 0, 0, 0])).toBe(2);
    await world.close();
    const again = await reopen(disk);
    expect(await again.get([0, 0, 0, 0])).toBe(2);
    await again.close();
  });

  test("happens automatically five seconds after an edit, and a minute after a change to a player", async () => {
    const disk = new MemoryDisk();
    const time = new FakeTime();
    const world = await createWorldEngine(disk, { generator: FLOOR }, { time });
    await world.set([0, 0, 0, 0], 1);
    const before = world.generation;
    time.advance(4_999);
    await world.load(boxBetween([0, 0, 0, 0], [1, 1, 1, 1]));
    expect(world.generation).toBe(before);
    time.advance(1);
    await expect.poll(() => world.generation).toBe(before + 1);
    world.upsertPlayer(player(1n));
    time.advance(59_999);
    expect(world.generation).toBe(before + 1);
    time.advance(1);
    await expect.poll(() => world.generation).toBe(before + 2);
    await world.close();
  });

  test("saving to another disk creates an independent world", async () => {
    const world = await flatWorld();
    await world.fill(boxBetween([0, 0, 0, 0], [64, 8, 64, 8]), 3);
    world.upsertPlayer(player(9n));
    world.entities.spawn({ kind: 1, position: [5, 5, 5, 5] });
    const copy = new MemoryDisk();
    await world.saveAs(copy);
    await world.set([0, 0, 0, 0], 4);
    await world.close();
    const again = await reopen(copy);
    expect(await again.get([0, 0, 0, 0])).toBe(3);
    expect(again.player(9n)?.name).toBe("Player 9");
    expect(await again.entities.in(boxBetween([0, 0, 0, 0], [9, 9, 9, 9]))).toHaveLength(1);
    await again.close();
  });

  test("leaves a snapshot unchanged, including what it has not read yet", async () => {
    const disk = new MemoryDisk();
    const world = await flatWorld(disk);
    await world.set([0, 0, 0, 0], 1);
    await world.set([10_000, 0, 0, 0], 1);
    await world.close();
    const again = await reopen(disk);
    const snapshot = again.snapshot();
    for (let round = 0; round < 4; round++) {
      await again.set([0, 0, 0, 0], 20 + round);
      await again.set([10_000, 0, 0, 0], 20 + round);
      await again.save();
    }
    expect(await snapshot.get([0, 0, 0, 0])).toBe(1);
    expect(await snapshot.get([10_000, 0, 0, 0])).toBe(1);
    expect(await again.get([0, 0, 0, 0])).toBe(23);
    await snapshot.close();
    await again.close();
  });
});

describe("players", () => {
  test("[checklist 4] keep their inventory through many saves, and are kept while they are away", async () => {
    const disk = new MemoryDisk();
    let world = await flatWorld(disk);
    world.upsertPlayer({ ...player(1n), inventory: Uint8Array.of(1, 2, 3) });
    for (let round = 0; round < 10; round++) {
      await world.set([round, 0, 0, 0], 1);
      world.upsertPlayer(player(100n + BigInt(round)));
      await world.close();
      world = await reopen(disk);
    }
    expect(world.player(1n)?.inventory).toEqual(Uint8Array.of(1, 2, 3));
    expect(world.players).toHaveLength(11);
    await world.close();
  });

  test("change field by field: omitted fields stay, and a new player starts at the spawn with nothing", async () => {
    const disk = new MemoryDisk();
    const world = await createWorldEngine(
      disk,
      { spawn: [1, 2, 3, 4] },
      { time: new FakeTime(7), autosave: false },
    );
    world.upsertPlayer({ playerId: 1n, name: "Ada" });
    expect(world.player(1n)).toEqual({ ...player(1n), name: "Ada", position: [1, 2, 3, 4], lastSavedMs: 7 });
    world.upsertPlayer({ playerId: 1n, inventory: Uint8Array.of(9), tags: ["tall"] });
    world.upsertPlayer({ playerId: 1n, position: [5, 6, 7, 8] });
    await world.close();
    const again = await reopen(disk);
    expect(again.players).toEqual([
      {
        ...player(1n),
        name: "Ada",
        position: [5, 6, 7, 8],
        inventory: Uint8Array.of(9),
        tags: ["tall"],
        lastSavedMs: 7,
      },
    ]);
    again.upsertPlayer({ playerId: 1n, name: undefined });
    expect(again.player(1n)?.name).toBe(undefined);
    await again.close();
  });
});
