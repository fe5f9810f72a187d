import {
  AIR,
  BlockCatalog,
  box,
  chunkBox,
  chunkShape,
  DEFAULT_BLOCKS,
  defineGenerator,
  type EditEvent,
  flat,
  uniformChunk,
} from "@orthant/core";
import { MemoryDisk } from "@orthant/disk";
import { createWorld, openOrCreateWorld, openWorld, type World } from "@orthant/world";
import { describe, expect, test } from "vitest";

const GROUND = flat({ top: 1, thickness: 2 });

async function cubes(disk = new MemoryDisk()): Promise<World<3>> {
  return createWorld(disk, { dimensions: 3, generator: GROUND }, { autosave: false });
}

describe("a world of three dimensions", () => {
  test("takes and returns positions of three numbers", async () => {
    const world = await cubes();
    expect(world.dimensions).toBe(3);
    expect(world.spawn).toEqual([0, 0, 0]);
    expect(await world.set([0, 80, -3], world.blocks.id("stone"))).toEqual({ status: "applied" });
    expect(await world.get([0, 80, -3])).toBe(1);
    expect(await world.set([0, 80, -3], 1)).toEqual({ status: "unchanged" });
    await world.close();
  });

  test("refuses a fourth coordinate everywhere, and stores nothing of it", async () => {
    const world = (await cubes()) as unknown as World<4>;
    const there = [0, 0, 0, 3] as const;
    await expect(world.set(there, 1)).rejects.toThrow(/position is \[0, 0, 0, 3\]; it is \[x, y, z\]/);
    await expect(world.get(there)).rejects.toThrow(/ORT_ARGUMENT/);
    expect(() => world.voxelAt(there)).toThrow(/ORT_ARGUMENT/);
    expect(() => world.upsertPlayer({ playerId: 1n, position: there })).toThrow(/ORT_ARGUMENT/);
    expect(() => world.spawnEntity({ kind: 1, position: there })).toThrow(/ORT_ARGUMENT/);
    await expect(world.fill(box([0, 0, 0, 0], [1, 1, 1, 4]), 1)).rejects.toThrow(/ORT_ARGUMENT/);
    expect(() => world.moveSpawn(there)).toThrow(/ORT_ARGUMENT/);
    expect(world.players).toEqual([]);
    await world.close();
  });

  test("reads at once what is in memory, and nothing else", async () => {
    const disk = new MemoryDisk();
    const world = await cubes(disk);
    await world.set([100, 5, 100], 7);
    await world.close();
    const again = await openWorld(disk, { dimensions: 3 });
    expect(again.voxelAt([100, 5, 100])).toBeUndefined();
    expect(again.chunkAt([6, 0, 6])).toBeUndefined();
    await again.loadChunks(chunkBox([6, 0, 6], [7, 1, 7]));
    expect(again.voxelAt([100, 5, 100])).toBe(7);
    expect(again.chunkAt([6, 0, 6])?.get(4 + 16 * (5 + 16 * 4))).toBe(7);
    expect(again.hasLoadedChunks(chunkBox([6, 0, 6], [7, 1, 7]))).toBe(true);
    await again.close();
  });

  test("fills, copies, sets chunks and restores by boxes that say their unit", async () => {
    const world = await cubes();
    await world.fill(box([0, 10, 0], [4, 12, 4]), 5);
    expect(await world.copy(box([0, 10, 0], [4, 12, 4]), [100, 50, 100])).toEqual({ status: "applied" });
    expect(await world.get([103, 51, 103])).toBe(5);
    const before = await world.save();
    await world.setChunks([[[6, 3, 6], uniformChunk(4096, 9)]]);
    expect(await world.get([100, 50, 100])).toBe(9);
    await world.restoreChunks(chunkBox([6, 3, 6], [7, 4, 7]), before);
    expect(await world.get([100, 50, 100])).toBe(5);
    const wrong = chunkBox([0, 0, 0], [1, 1, 1]) as never;
    await expect(world.fill(wrong, 1)).rejects.toThrow(/box is a box of chunks; it is a box of voxels/);
    await world.close();
  });

  test("listeners get the changed voxels with what was there before", async () => {
    const world = await cubes();
    const seen: EditEvent<3>[] = [];
    const stop = world.onEdit((edit) => seen.push(edit));
    await world.edit([
      { position: [0, 0, 0], block: AIR },
      { position: [1, 20, 1], block: 4 },
      { position: [1, 21, 1], block: AIR },
    ]);
    expect(seen).toHaveLength(1);
    expect(seen[0]?.chunks).toEqual([
      [0, 0, 0],
      [0, 1, 0],
    ]);
    expect(seen[0]?.box).toEqual(box([0, 0, 0], [16, 32, 16]));
    expect(seen[0]?.count).toBe(2);
    expect([...(seen[0]?.changes ?? [])]).toEqual([
      { position: [0, 0, 0], block: AIR, before: 3 },
      { position: [1, 20, 1], block: 4, before: AIR },
    ]);
    expect(seen[0]?.author).toBeUndefined();
    stop();
    await world.set([5, 5, 5], 1);
    expect(seen).toHaveLength(1);
    await world.close();
  });

  test("entities and players have three coordinates and come back from the disk", async () => {
    const disk = new MemoryDisk();
    const world = await cubes(disk);
    const sheep = world.spawnEntity({
      kind: 3,
      position: [1.5, 2, 3],
      name: "Dolly",
      data: Uint8Array.of(1),
    });
    expect(sheep).toMatchObject({ isPlayer: false, kind: 3, position: [1.5, 2, 3], velocity: [0, 0, 0] });
    world.changeEntity(sheep.id, { position: [2.5, 2, 3], velocity: [1, 0, 0] });
    world.upsertPlayer({ playerId: 9n, name: "Ada", position: [4, 5, 6] });
    await world.close();
    const again = await openWorld(disk, { dimensions: 3 });
    const [found] = await again.entitiesIn(box([0, 0, 0], [10, 10, 10]));
    expect(found).toEqual({ ...sheep, position: [2.5, 2, 3], velocity: [1, 0, 0] });
    expect(again.player(9n)).toMatchObject({ name: "Ada", position: [4, 5, 6] });
    again.despawnEntity(sheep.id);
    expect(await again.entitiesIn(box([0, 0, 0], [10, 10, 10]))).toEqual([]);
    await again.close();
  });

  test("a snapshot keeps what later edits change", async () => {
    const world = await cubes();
    const snapshot = world.snapshot();
    await world.set([0, 0, 0], 9);
    expect(await snapshot.get([0, 0, 0])).toBe(3);
    await snapshot.close();
    await world.close();
  });
});

describe("openOrCreateWorld", () => {
  const hills = defineGenerator({
    id: "test:hills",
    version: 1,
    dimensions: 3,
    parameters: { height: 8 },
    open:
      ({ parameters }) =>
      (_x, y) =>
        y < parameters.height ? 2 : AIR,
  });

  test("creates a world, and then opens it with its own generator", async () => {
    const disk = new MemoryDisk();
    const first = await openOrCreateWorld(disk, {
      dimensions: 3,
      name: "Hills",
      generator: hills({ seed: 7n }),
    });
    expect(await first.get([0, 7, 0])).toBe(2);
    await first.set([0, 30, 0], 1);
    await first.close();
    const again = await openOrCreateWorld(disk, {
      dimensions: 3,
      name: "another name",
      generator: hills({ seed: 8n, height: 3 }),
    });
    expect(again.name).toBe("Hills");
    expect(await again.get([0, 7, 0])).toBe(2);
    expect(await again.get([0, 30, 0])).toBe(1);
    await again.close();
  });

  test("refuses a world with another number of dimensions, and leaves it unlocked", async () => {
    const disk = new MemoryDisk();
    await (await createWorld(disk, { dimensions: 2 })).close();
    await expect(openOrCreateWorld(disk, { dimensions: 3 })).rejects.toThrow(
      /this world has 2 dimensions, and the program asks for 3/,
    );
    await expect(openWorld(disk, { dimensions: 4 })).rejects.toThrow(/2 dimensions/);
    const world = await openWorld(disk, { dimensions: 2 });
    await world.set([3, 4], 1);
    await world.close();
  });

  test.each<[what: string, world: object, message: RegExp]>([
    ["no dimensions", {}, /dimensions is undefined; it is 2, 3 or 4/],
    ["five dimensions", { dimensions: 5 }, /dimensions is 5/],
    ["a misspelt field", { dimensions: 3, blokcs: DEFAULT_BLOCKS }, /no field blokcs in a new world/],
    [
      "a bare generator",
      { dimensions: 3, generator: hills },
      /generator is a function; it is a generator with a seed/,
    ],
    [
      "blocks that are not a catalog",
      { dimensions: 3, blocks: ["stone"] },
      /blocks is .*; they are an object .* or a BlockCatalog/,
    ],
    [
      "another chunk shape",
      { dimensions: 3, chunkShape: chunkShape([32, 32, 1, 1]) },
      /are for a world of 2 dimensions/,
    ],
    ["a spawn of two numbers", { dimensions: 3, spawn: [1, 2] }, /spawn is \[1, 2\]; it is \[x, y, z\]/],
    ["a name that is not text", { dimensions: 3, name: 7 }, /name is 7/],
  ])("refuses %s before it writes anything", async (_, world, message) => {
    const disk = new MemoryDisk();
    await expect(openOrCreateWorld(disk, world as { dimensions: 3 })).rejects.toThrow(message);
    expect(await disk.list("")).toEqual([]);
  });
});

describe("the blocks of a world", () => {
  test("an unknown name is refused with the nearest names", () => {
    const blocks = new BlockCatalog(DEFAULT_BLOCKS.types);
    expect(blocks.id("brick")).toBe(11);
    expect(() => blocks.id("bricks")).toThrow(
      /the name is "bricks" \(a string\); this world has no such block; the nearest is "brick"/,
    );
    expect(() => blocks.id(undefined as unknown as string)).toThrow(/ORT_ARGUMENT/);
  });
});
