import { CUBE_CHUNKS, type Position, TILE_CHUNKS, uniformChunk } from "@orthant/core";
import { cubeAt } from "@orthant/core/lattice";
import { clockFrom } from "@orthant/core/tree";
import { MemoryDisk } from "@orthant/disk";
import {
  createSave,
  openSave,
  plainDescription,
  resumeSave,
  type StoredEntity,
  type StoredPlayer,
  verifySave,
} from "@orthant/save";
import { type JournalEntry, JournalWriter } from "@orthant/save/journal";
import { FakeTime } from "@orthant/testkit";
import { entityAt, playerOf } from "@orthant/testkit/saves";
import { createWorldEngine, openWorldEngine, type WorldEngine } from "@orthant/world/engine";
import { describe, expect, test } from "vitest";

const quiet = { time: new FakeTime(), autosave: false };

/** Returns a save of three dimensions from an earlier program, with a chunk of block 7 at w = 3. */
async function saveWithOutsideChunk(
  spawn: Position = [0, 0, 0, 0],
  entities: readonly StoredEntity[] = [],
  players: readonly StoredPlayer[] = [],
): Promise<MemoryDisk> {
  const disk = new MemoryDisk();
  const writer = await createSave(disk, {
    nowMs: 1,
    global: {
      base: { kind: "empty" },
      worldSeed: 7n,
      generators: [],
      nextEntityId: 1n,
      playerEntityHints: [],
      description: { ...plainDescription(CUBE_CHUNKS), spawn },
    },
  });
  const chunks = [{ position: [0, 0, 0, 3] as const, chunk: uniformChunk(CUBE_CHUNKS.volume, 7) }];
  const leaves = [{ cube: cubeAt([0, 0, 0, 0], 65_536), chunks, entities }];
  const save = await writer.commit({ nowMs: 2, leaves, players });
  await save.close();
  await writer.close();
  return disk;
}

/** Adds a journal of an earlier program to a save. */
async function addJournal(disk: MemoryDisk, entry: JournalEntry): Promise<void> {
  const lock = await disk.lock("world.lock");
  const save = await openSave(disk);
  const writer = await resumeSave(disk, save, { lock });
  const { volume } = CUBE_CHUNKS;
  const journal = await JournalWriter.open({ disk, lock, time: quiet.time, volume, random: () => 5n });
  const position = journal.rotate({ generation: save.generation + 1, epoch: 1, epochId: 9n });
  const description = {
    ...save.global.description,
    worldId: 6n,
    clockEpoch: 1,
    epochs: [{ number: 1, id: 9n }],
  };
  const change = await journal.prepare({ nowMs: 3, global: { ...save.global, description } });
  const committed = await writer.commit(change);
  await journal.committed(committed.generation, position);
  journal.add(entry);
  await journal.whenDurable();
  await journal.close(committed.generation, false);
  await committed.close();
  await save.close();
  await writer.close();
  await lock.release();
}

/** Returns the first blocks of all chunks that a save has, by position. */
async function storedBlocks(disk: MemoryDisk): Promise<Readonly<Record<string, readonly number[]>>> {
  const save = await openSave(disk);
  const found: Record<string, readonly number[]> = {};
  for await (const leaf of save.index.all()) {
    for (const { position, chunk } of await save.readChunks(leaf))
      found[position.join()] = [0, 1, 2].map((index) => chunk.get(index));
  }
  await save.close();
  return found;
}

describe("an axis on which chunks are one voxel wide", () => {
  const box = { min: [0, 0, 0, 0], max: [2, 2, 2, 2] } as const;
  const outside = cubeAt([0, 0, 0, 3], 1);

  test.each<[name: string, edit: (world: WorldEngine) => Promise<unknown>, position: string]>([
    ["set", (world) => world.set([1, 2, 3, 3], 1), "voxel [1,2,3,3]"],
    ["edit", (world) => world.edit([{ voxel: [1, 2, 3, -1], block: 1 }]), "voxel [1,2,3,-1]"],
    ["fill", (world) => world.fill(outside, 1), "voxel [0,0,0,3]"],
    ["fill of a box that reaches over", (world) => world.fill(box, 1), "voxel [1,1,1,1]"],
    ["copy", (world) => world.copy(cubeAt([0, 0, 0, 0], 1), [0, 0, 0, 3]), "voxel [0,0,0,3]"],
    [
      "setChunks",
      (world) => world.setChunks([[[0, 0, 0, 3], uniformChunk(CUBE_CHUNKS.volume, 1)]]),
      "chunk [0,0,0,3]",
    ],
  ])("is 0 in every %s, which is rejected elsewhere", async (_name, edit, position) => {
    const world = await createWorldEngine(new MemoryDisk(), { shape: CUBE_CHUNKS }, quiet);
    await expect(edit(world)).rejects.toMatchObject({
      code: "ORT_ARGUMENT",
      detail: `${position} is outside of the world: with chunks of [16,16,16,1] voxels w is always 0`,
    });
    expect(await world.get([0, 0, 0, 3])).toBe(0);
    expect(world.generation).toBe(await world.save());
    await world.close();
  });

  test("is named in the error: the first axis on which a position is outside", async () => {
    const world = await createWorldEngine(new MemoryDisk(), { shape: TILE_CHUNKS }, quiet);
    await expect(world.set([1, 2, 3, 4], 1)).rejects.toMatchObject({
      detail: "voxel [1,2,3,4] is outside of the world: with chunks of [32,32,1,1] voxels z is always 0",
    });
    await world.set([1, 2, 0, 0], 1);
    expect(await world.get([1, 2, 0, 0])).toBe(1);
    await world.close();
  });

  test("[S104] may have content in older saves, which is never shown, is kept, and is reported by verify", async () => {
    const disk = await saveWithOutsideChunk();
    const voxel: Position = [1, 2, 3, 3];
    const world = await openWorldEngine(disk, quiet);
    expect(await world.get(voxel)).toBe(0);
    await world.set([1, 2, 3, 0], 1);
    await world.save();
    await world.close();
    expect(Object.keys(await storedBlocks(disk)).sort()).toEqual(["0,0,0,0", "0,0,0,3"]);
    const again = await openWorldEngine(disk, quiet);
    expect(await again.get(voxel)).toBe(0);
    expect(await again.get([1, 2, 3, 0])).toBe(1);
    await again.close();
    const findings = (await verifySave(disk)).filter(({ message }) => message.includes("axis"));
    expect(findings[0]).toMatchObject({
      severity: "notice",
      message: "the chunk at [0,0,0,3] lies on an axis that the world does not have, and is never shown",
      chunks: cubeAt([0, 0, 0, 3], 1),
    });
  });

  test("[S104] may have entities and players in older saves, which verify reports", async () => {
    const entity = (entityId: bigint, w: number) => entityAt(entityId, [1, 2, 3, w]);
    const player = (playerId: bigint, w: number) => ({
      ...playerOf(playerId),
      position: [1, 2, 3, w] as const,
    });
    const disk = await saveWithOutsideChunk(
      [0, 0, 0, 0],
      [entity(1n, 0.5), entity(2n, 1), entity(3n, 2.5)],
      [player(5n, 1), player(6n, -0.5), player(7n, 0)],
    );
    const findings = (await verifySave(disk)).filter(({ message }) => /^(entity|player)/.test(message));
    expect(findings.map(({ severity, message }) => `${severity}: ${message}`)).toEqual([
      "notice: player 6 at [1,2,3,-0.5] lies on an axis that the world does not have",
      "notice: entity 3 at [1,2,3,2.5] lies on an axis that the world does not have",
    ]);
    expect(findings.map(({ file }) => file)).toEqual([
      expect.stringMatching(/players/),
      expect.stringMatching(/^data/),
    ]);
  });

  test("[S104] may have content in a journal, which is saved with the rest and never shown", async () => {
    const disk = await saveWithOutsideChunk();
    const clock = clockFrom(1, 1);
    const region: Position = [0, 0, 0, 0];
    await addJournal(disk, {
      kind: "edit",
      origin: undefined,
      chunks: [
        { position: [0, 0, 0, 2], chunk: uniformChunk(CUBE_CHUNKS.volume, 8) },
        { position: [0, 0, 0, 3], edits: [{ index: 1, block: 9 }] },
      ],
      clocks: [{ region, clock }],
    });
    const expected = { "0,0,0,2": [8, 8, 8], "0,0,0,3": [7, 9, 7] };

    const reader = await openWorldEngine(disk, { ...quiet, readOnly: true });
    const copy = new MemoryDisk();
    await reader.saveAs(copy);
    await reader.close();
    expect(await storedBlocks(copy)).toEqual(expected);

    const world = await openWorldEngine(disk, quiet);
    await world.load(cubeAt([0, 0, 0, 0], 4));
    expect(world.clockOf(region)).toBe(clock);
    expect(await world.get([0, 0, 0, 2])).toBe(0);
    expect(await world.get([1, 0, 0, 3])).toBe(0);
    await world.close();
    expect(await storedBlocks(disk)).toEqual(expected);
  });

  test("[S104] is left out when a region is restored from an older save", async () => {
    const disk = await saveWithOutsideChunk();
    const world = await openWorldEngine(disk, quiet);
    await world.openEpoch();
    const { generation } = world;
    await world.set([1, 2, 3, 0], 1);
    await world.save();
    const edit = await world.restoreRegion(cubeAt([0, 0, 0, 0], 4), generation);
    expect(edit.chunks).toEqual([[0, 0, 0, 0]]);
    expect(await world.get([1, 2, 3, 3])).toBe(0);
    await world.close();
    expect(await storedBlocks(disk)).toEqual({ "0,0,0,3": [7, 7, 7] });
  });

  describe("has no entity, player or spawn outside of the layer from 0 to 1", () => {
    test.each<[name: string, field: string, change: (world: WorldEngine, position: Position) => void]>([
      ["spawnEntity", "position", (world, position) => void world.entities.spawn({ kind: 1, position })],
      ["changeEntity", "position", (world, position) => world.entities.change(1n, { position })],
      ["upsertPlayer", "position", (world, position) => world.upsertPlayer({ playerId: 7n, position })],
      ["describe", "spawn", (world, position) => world.describe({ spawn: position })],
    ])("nothing is outside of the layer from 0 to 1 with %s", async (_name, field, change) => {
      const world = await createWorldEngine(new MemoryDisk(), { shape: CUBE_CHUNKS }, quiet);
      world.entities.spawn({ kind: 1, position: [0, 0, 0, 1] });
      change(world, [1, 2, 3, 0]);
      for (const w of [-0.25, 1.5, 3]) {
        expect(() => change(world, [1, 2, 3, w])).toThrow(
          expect.objectContaining({
            code: "ORT_ARGUMENT",
            detail: expect.stringMatching(
              new RegExp(`^${field} .*chunks of this world have one voxel on w, so it must be from 0 to 1$`),
            ),
          }),
        );
      }
      await world.close();
    });

    test("a new world has nothing outside of the layer from 0 to 1", async () => {
      const creating = createWorldEngine(
        new MemoryDisk(),
        { shape: TILE_CHUNKS, spawn: [0, 0, 5, 0] },
        quiet,
      );
      await expect(creating).rejects.toMatchObject({
        code: "ORT_ARGUMENT",
        detail: expect.stringContaining("one voxel on z"),
      });
    });

    test("but an older save with such a spawn can be renamed, and keeps it", async () => {
      const disk = await saveWithOutsideChunk([0, 0, 0, 5]);
      const world = await openWorldEngine(disk, quiet);
      world.describe({ name: "Renamed" });
      world.upsertPlayer({ playerId: 7n, name: "Ada" });
      await world.close();
      const again = await openWorldEngine(disk, quiet);
      expect([again.name, again.spawn]).toEqual(["Renamed", [0, 0, 0, 5]]);
      await again.close();
    });
  });
});
