import { GeneratorRegistry, type Position } from "@orthant/core";
import { FLAT_DEFAULTS, flatGenerator, generatorRef } from "@orthant/core/generate";
import { boxBetween } from "@orthant/core/lattice";
import { MemoryDisk } from "@orthant/disk";
import { openSave } from "@orthant/save";
import { FakeTime, Prng } from "@orthant/testkit";
import { createWorldEngine, openWorldEngine, type WorldEngine } from "@orthant/world/engine";
import { describe, expect, test } from "vitest";
import { player } from "./sample-player.ts";
import { SlowDisk } from "./slow-disk.ts";
import { createSmallLeaves } from "./small-leaves.ts";

const HERE: Position = [0, 0, 0, 0];

async function emptyWorld(disk = new MemoryDisk()): Promise<WorldEngine> {
  return createWorldEngine(disk, {}, { time: new FakeTime(), autosave: false });
}

const PLAYER = player(1n);

describe("a value that cannot be stored", () => {
  test.each<[name: string, attempt: (world: WorldEngine) => unknown]>([
    ["a name that is too long", (world) => world.describe({ name: "x".repeat(5_000) })],
    ["half a character in a name", (world) => world.describe({ name: "\ud800" })],
    ["an entity nowhere", (world) => world.entities.spawn({ kind: 1, position: [Number.NaN, 0, 0, 0] })],
    ["an entity at no end", (world) => world.entities.spawn({ kind: 1, position: [0, Infinity, 0, 0] })],
    [
      "a position that 32 bits cannot hold",
      (world) => world.entities.spawn({ kind: 1, position: [1e39, 0, 0, 0] }),
    ],
    ["an entity of a kind above 65,535", (world) => world.entities.spawn({ kind: 65_536, position: HERE })],
    [
      "an entity of a block above 255",
      (world) => world.entities.spawn({ kind: 1, position: HERE, block: 256 }),
    ],
    [
      "an entity larger than a record",
      (world) => world.entities.spawn({ kind: 1, position: HERE, payload: new Uint8Array(262_144) }),
    ],
    ["a change to nowhere", (world) => world.entities.change(1n, { position: [0, 0, Number.NaN, 0] })],
    [
      "a change of name that is too long",
      (world) => world.entities.change(1n, { displayName: "x".repeat(70_000) }),
    ],
    ["a player with a negative id", (world) => world.upsertPlayer({ ...PLAYER, playerId: -1n })],
    ["a player with half a character", (world) => world.upsertPlayer({ ...PLAYER, name: "\udc00" })],
  ])("%s is rejected at once, and the world can still be saved", async (_name, attempt) => {
    const disk = new MemoryDisk();
    const world = await emptyWorld(disk);
    world.entities.spawn({ kind: 1, position: HERE });
    await world.set(HERE, 3);
    expect(() => attempt(world)).toThrow(/ORT_/);
    await world.close();
    const again = await openWorldEngine(disk, { readOnly: true });
    expect(await again.get(HERE)).toBe(3);
    expect(await again.entities.in(boxBetween(HERE, [1, 1, 1, 1]))).toHaveLength(1);
    await again.close();
  });

  test.each<[name: string, attempt: (world: WorldEngine) => Promise<unknown>]>([
    ["half a voxel", (world) => world.set([0.5, 0, 0, 0], 1)],
    ["a voxel beyond the lattice", (world) => world.set([2 ** 40, 0, 0, 0], 1)],
    ["a block above 65,535", (world) => world.set(HERE, 65_536)],
    ["a negative block", (world) => world.fill(boxBetween(HERE, [99, 9, 9, 9]), -1)],
    ["a box that ends before it begins", (world) => world.fill({ min: [9, 9, 9, 9], max: HERE }, 1)],
    [
      "a copy to beyond the lattice",
      (world) => world.copy(boxBetween(HERE, [9, 9, 9, 9]), [2 ** 50, 0, 0, 0]),
    ],
    [
      "voxels in too many chunks",
      (world) =>
        world.edit(Array.from({ length: 65_537 }, (_, index) => ({ voxel: [index * 8, 0, 0, 0], block: 1 }))),
    ],
  ])("%s is rejected with a promise, and the world can still be saved", async (_name, attempt) => {
    const world = await emptyWorld();
    const before = await world.set(HERE, 3);
    await expect(attempt(world)).rejects.toThrow(/ORT_/);
    const [clock] = (await world.set(HERE, 4)).clocks;
    expect(clock?.before).toBe(before.clocks[0]?.after);
    await world.close();
  });
});

test("a world keeps blocks that its catalog does not name, since imported worlds may lack a catalog", async () => {
  const disk = new MemoryDisk();
  const world = await emptyWorld(disk);
  await world.set(HERE, 999);
  await world.copy(boxBetween(HERE, [1, 1, 1, 1]), [100, 0, 0, 0]);
  await world.close();
  const again = await openWorldEngine(disk, { readOnly: true });
  expect(again.catalog.byId(999)).toBeUndefined();
  expect(await again.get([100, 0, 0, 0])).toBe(999);
  await again.close();
});

test("filling a box that is too large is rejected before the disk is read", async () => {
  const disk = new MemoryDisk();
  const first = await emptyWorld(disk);
  await first.set(HERE, 1);
  await first.close();
  const slow = new SlowDisk(disk);
  const world = await openWorldEngine(slow, { readOnly: false, autosave: false });
  let reads = 0;
  slow.delay = (operation) => {
    if (operation === "readAt") reads++;
    return undefined;
  };
  await expect(world.fill(boxBetween([-1e9, 0, 0, 0], [1e9, 8, 8, 8]), 1)).rejects.toThrow(
    "fill the box in parts",
  );
  expect(reads).toBe(0);
  await world.close();
});

test("callers may reuse their arrays as soon as a call has returned", async () => {
  const world = await emptyWorld();
  const voxel: [number, number, number, number] = [0, 0, 0, 0];
  const edits: Promise<unknown>[] = [];
  for (let x = 0; x < 4; x++) {
    voxel[0] = x * 100;
    edits.push(world.set(voxel, x + 1));
  }
  const position: [number, number, number, number] = [1, 1, 1, 1];
  const { entityId } = world.entities.spawn({ kind: 1, position });
  position[0] = 99;
  await Promise.all(edits);
  expect(await Promise.all([0, 100, 200, 300].map((x) => world.get([x, 0, 0, 0])))).toEqual([1, 2, 3, 4]);
  expect(world.entities.get(entityId)?.position).toEqual([1, 1, 1, 1]);
  await world.close();
});

test("entitiesIn finds an entity that stepped over the border of its leaf", async () => {
  const disk = new MemoryDisk();
  const world = await emptyWorld(disk);
  const border = 65_536 * 8;
  await world.set([border, 0, 0, 0], 1);
  const { entityId } = world.entities.spawn({ kind: 1, position: [border - 1, 0, 0, 0] });
  await world.save();
  world.entities.change(entityId, { position: [border + 1, 0, 0, 0] });
  await world.close();
  const again = await openWorldEngine(disk, { readOnly: true });
  expect(await again.entities.in(boxBetween([border, 0, 0, 0], [border + 2, 1, 1, 1]))).toHaveLength(1);
  await again.close();
});

test("a world with an unknown generator is neither created nor opened, and leaves no open files behind", async () => {
  const disk = new SlowDisk(new MemoryDisk());
  const generator = generatorRef(flatGenerator, FLAT_DEFAULTS, 1n);
  const generators = new GeneratorRegistry([]);
  await expect(createWorldEngine(disk, { generator }, { generators })).rejects.toThrow(
    "ORT_GENERATOR_UNKNOWN",
  );
  await expect(createWorldEngine(disk, { name: "x".repeat(5_000) })).rejects.toThrow("ORT_");
  await (await createWorldEngine(disk, { generator }, { autosave: false })).close();
  await expect(openWorldEngine(disk, { generators })).rejects.toThrow("ORT_GENERATOR_UNKNOWN");
  expect(disk.openFiles).toBe(0);
  await (await openWorldEngine(disk)).close();
});

test("a world of many small leaves can be copied to another disk", async () => {
  const disk = new MemoryDisk();
  await createSmallLeaves(disk);
  const world = await openWorldEngine(disk, { time: new FakeTime(), autosave: false });
  const prng = new Prng(5);
  const voxels = Array.from({ length: 3_000 }, (_, index) => {
    const spread = index < 500 ? 4_000 : 500;
    const coordinate = (): number => prng.between(-spread, spread);
    return { voxel: [coordinate(), coordinate(), coordinate(), 0] as const, block: 1 + (index % 7) };
  });
  await world.edit(voxels);
  const copy = new MemoryDisk();
  await world.saveAs(copy);
  await world.close();
  const save = await openSave(copy);
  expect(save.index.totals.leaves).toBeGreaterThan(64);
  await save.close();
  const again = await openWorldEngine(copy, { readOnly: true });
  for (const { voxel, block } of voxels.slice(-100)) expect(await again.get(voxel)).toBe(block);
  await again.close();
});
