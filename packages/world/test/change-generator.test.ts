import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { box, chunkShape, flat, type Position, terrain, type VoxelBox } from "@orthant/core";
import { generatorRef, type SeededGenerator, TERRAIN_DEFAULTS } from "@orthant/core/generate";
import { boxContains } from "@orthant/core/lattice";
import { CLOCK_NEVER } from "@orthant/core/tree";
import { type Disk, MemoryDisk } from "@orthant/disk";
import { NodeDisk } from "@orthant/disk/node";
import { openSave, verifySave } from "@orthant/save";
import { generatorMapOf } from "@orthant/save/content";
import { CrashDisk, codeOfRejection, explorePowerCuts, FakeTime, Prng } from "@orthant/testkit";
import { runProgram } from "@orthant/testkit/process";
import { createWorld, openWorld, type World, type WorldSnapshot } from "@orthant/world";
import { describe, expect, test } from "vitest";
import { blockOf, STRIPES, stripes1, stripes2, stripes3 } from "./stripes.ts";

const DURABILITIES = ["snapshot", "journal"] as const;
const SEED = 7n;
/** Voxels along each edge of a region. */
const REGION = 32;
const HOUSE: Position<3> = [40, 50, 8];

function optionsOf(durability: (typeof DURABILITIES)[number] = "snapshot") {
  return { time: new FakeTime(), autosave: false, durability, generators: STRIPES } as const;
}

async function newWorld(disk: Disk, options = optionsOf()): Promise<World<3>> {
  const shape = chunkShape([8, 8, 8]);
  return createWorld(
    disk,
    { dimensions: 3, chunkShape: shape, generator: stripes1({ seed: SEED }) },
    options,
  );
}

/** Returns the voxels of whole regions, as a half-open box. */
function regions(min: Position<3>, max: Position<3>): VoxelBox<3> {
  const scaled = (corner: Position<3>): Position<3> => [
    corner[0] * REGION,
    corner[1] * REGION,
    corner[2] * REGION,
  ];
  return box(scaled(min), scaled(max));
}

function isIn(boxes: readonly VoxelBox<3>[], [x, y, z]: Position<3>): boolean {
  return boxes.some(({ min, max }) => boxContains({ min: [...min, 0], max: [...max, 1] }, [x, y, z, 0]));
}

/** Compares voxels around the origin with what `versionAt` says, and with edits. */
async function expectVersions(
  world: Pick<World<3>, "get"> | WorldSnapshot<3>,
  versionAt: (voxel: Position<3>) => number,
  edits: ReadonlyMap<string, number> = new Map(),
): Promise<void> {
  const wrong: string[] = [];
  for (let x = -160; x < 224; x += 16)
    for (let z = -160; z < 160; z += 16)
      for (const voxel of [
        [x, 0, z],
        [x + 7, -33, z + 7],
        [x, 39, z + 3],
        [x, 50, z],
      ] as const) {
        const expected = edits.get(`${voxel}`) ?? blockOf(versionAt(voxel), SEED, voxel);
        const found = await world.get(voxel);
        if (found !== expected) wrong.push(`${voxel}: ${found}, not ${expected}`);
      }
  expect(wrong.slice(0, 5)).toEqual([]);
}

const HOUSE_EDITS = new Map([[`${HOUSE}`, 99]]);

describe.each(DURABILITIES)("the generator of a world with durability %s", (durability) => {
  const options = optionsOf(durability);

  test("[S142] changes everywhere except in regions with edits and their margin, and stays so", async () => {
    const disk = new MemoryDisk();
    const world = await newWorld(disk, options);
    await world.set(HOUSE, 99);
    await world.history.tag("before");
    const before = world.snapshot();
    const { kept } = await world.changeGenerator(stripes2({ seed: SEED }));
    expect(kept).toEqual([regions([0, 0, -1], [3, 3, 2])]);
    const versionAt = (voxel: Position<3>): number => (isIn(kept, voxel) ? 1 : 2);
    await expectVersions(world, versionAt, HOUSE_EDITS);
    await expectVersions(before, () => 1, HOUSE_EDITS);
    await world.history.tag("after");
    const later: Position<3> = [-152, 0, -152];
    await world.set(later, 77);
    const edits = new Map([...HOUSE_EDITS, [`${later}`, 77]]);
    await expectVersions(world, versionAt, edits);
    await before.close();
    await world.close();

    const again = await openWorld(disk, { ...options, dimensions: 3 });
    await expectVersions(again, versionAt, edits);
    await again.close();
    const past = await openWorld(disk, { ...options, dimensions: 3, at: "after" });
    await expectVersions(past, versionAt, HOUSE_EDITS);
    await past.close();
    const first = await openWorld(disk, { ...options, dimensions: 3, at: "before" });
    await expectVersions(first, () => 1, HOUSE_EDITS);
    await first.close();
    expect((await verifySave(disk)).filter(({ severity }) => severity === "damage")).toEqual([]);
  });

  test("changes several times, and back, and each region keeps the one in which it was edited", async () => {
    const disk = new MemoryDisk();
    const world = await newWorld(disk, options);
    const houses: readonly Position<3>[] = [HOUSE, [-152, 50, -152], [-152, 50, 88]];
    const edits = new Map<string, number>();
    const expected: [VoxelBox<3>, number][] = [];
    for (const [index, next] of [stripes2, stripes3, stripes1].entries()) {
      const house = houses[index] as Position<3>;
      await world.set(house, 90 + index);
      edits.set(`${house}`, 90 + index);
      const corner = house.map((coordinate) => Math.floor(coordinate / REGION)) as unknown as Position<3>;
      expected.push([regions(corner, corner.map((low) => low + 1) as unknown as Position<3>), index + 1]);
      await world.changeGenerator(next({ seed: SEED }), { keep: { margin: 0 } });
    }
    const versionAt = (voxel: Position<3>): number =>
      expected.find(([place]) => isIn([place], voxel))?.[1] ?? 1;
    await expectVersions(world, versionAt, edits);
    await world.close();
    const save = await openSave(disk);
    const map = generatorMapOf(save.global);
    // The first version is the current one again, so the first house needs no box.
    expect(map.current.equals(stripes1({ seed: SEED }).ref)).toBe(true);
    expect(map.refs).toHaveLength(3);
    expect(map.kept).toHaveLength(2);
    await save.close();
    const again = await openWorld(disk, { ...options, dimensions: 3 });
    await expectVersions(again, versionAt, edits);
    await again.close();
  });

  test("is that of every edit in the order of the calls", async () => {
    const disk = new MemoryDisk();
    const world = await newWorld(disk, options);
    // Nothing is awaited: the first edit is before the change, the second after it.
    const first = world.set([0, 50, 0], 1);
    const change = world.changeGenerator(stripes2({ seed: SEED }), { keep: { margin: 0 } });
    const second = world.set([96, 0, 0], 2);
    await Promise.all([first, change, second]);
    expect((await change).kept).toEqual([regions([0, 1, 0], [1, 2, 1])]);
    const versionAt = (voxel: Position<3>): number => (isIn([regions([0, 1, 0], [1, 2, 1])], voxel) ? 1 : 2);
    const edits = new Map([
      ["0,50,0", 1],
      ["96,0,0", 2],
    ]);
    await expectVersions(world, versionAt, edits);
    await world.close();
    const again = await openWorld(disk, { ...options, dimensions: 3 });
    await expectVersions(again, versionAt, edits);
    await again.close();
  });

  test("[S142] is the old or the new one after a power cut at any operation, and the new one once the call returned", async () => {
    const disk = new MemoryDisk();
    const created = await newWorld(disk, options);
    await created.set(HOUSE, 98);
    await created.close();
    const recorder = new CrashDisk(disk.image());
    const world = await openWorld(recorder, { ...options, dimensions: 3 });
    await world.set(HOUSE, 99);
    await world.whenDurable();
    const editedAt = recorder.log.length;
    const { kept } = await world.changeGenerator(stripes2({ seed: SEED }));
    const changedAt = recorder.log.length;
    await world.set([-152, 0, -152], 77);
    await world.whenDurable();
    const laterAt = recorder.log.length;
    await world.close();
    const outcomes = new Set<string>();
    await explorePowerCuts(recorder, { disksPerCut: 2, seed: 5 }, async ({ disk: left, cutAt }) => {
      const survivor = await openWorld(left, { ...options, dimensions: 3 });
      const isNew = (await survivor.get([-160, 0, 0])) === blockOf(2, SEED, [-160, 0, 0]);
      const house = await survivor.get(HOUSE);
      const later = await survivor.get([-152, 0, -152]);
      outcomes.add(`${isNew} ${later === 77}`);
      if (cutAt >= editedAt) expect(house).toBe(99);
      if (cutAt >= changedAt) expect(isNew).toBe(true);
      if (cutAt >= laterAt) expect(later).toBe(77);
      const versionAt = (voxel: Position<3>): number => (!isNew || isIn(kept, voxel) ? 1 : 2);
      for (const voxel of [
        [-1, 0, 0],
        [0, 0, 0],
        [95, 0, 0],
        [96, 0, 0],
        [40, 0, 9],
        [-151, 0, -152],
      ] as const)
        expect(await survivor.get(voxel), `${voxel}`).toBe(blockOf(versionAt(voxel), SEED, voxel));
      expect(await survivor.get([41, 39, 8])).toBe(blockOf(1, SEED, [41, 39, 8]));
      // It can be changed, again or at last.
      await survivor.changeGenerator(stripes3({ seed: SEED }));
      expect(await survivor.get([-160, 0, 160])).toBe(blockOf(3, SEED, [-160, 0, 160]));
      await survivor.close();
    });
    expect([...outcomes].sort()).toEqual(["false false", "true false", "true true"]);
  }, 240_000);
});

describe("a change of the generator", () => {
  test("keeps boxes that it names, and what lies within the margin, in whole regions", async () => {
    const world = await newWorld(new MemoryDisk());
    const keep = { margin: 0, boxes: [box([-64, 0, 0], [-63, 1, 33])] };
    const { kept } = await world.changeGenerator(stripes2({ seed: SEED }), { keep });
    expect(kept).toEqual([regions([-2, 0, 0], [-1, 1, 2])]);
    await expectVersions(world, (voxel) => (isIn(kept, voxel) ? 1 : 2));
    await world.set([0, 0, 0], 1);
    const wider = await world.changeGenerator(stripes3({ seed: SEED }), { keep: { margin: 5 } });
    expect(wider.kept.length).toBeGreaterThan(1);
    await expectVersions(
      world,
      (voxel) => {
        if (!isIn([regions([-2, -2, -2], [3, 3, 3])], voxel)) return 3;
        return isIn(kept, voxel) ? 1 : 2;
      },
      new Map([["0,0,0", 1]]),
    );
    await world.close();
  });

  test("a change to the generator that the world has changes nothing, and returns what is kept", async () => {
    const disk = new MemoryDisk();
    const world = await newWorld(disk);
    expect(await world.changeGenerator(stripes1({ seed: SEED }))).toEqual({ kept: [] });
    await world.set(HOUSE, 99);
    const first = await world.changeGenerator(stripes2({ seed: SEED }));
    const { generation } = world;
    expect(await world.changeGenerator(stripes2({ seed: SEED }), { keep: { margin: 0 } })).toEqual(first);
    expect(world.generation).toBe(generation);
    await world.close();
  });

  test("also changes the seed or the parameters, or takes another generator", async () => {
    const disk = new MemoryDisk();
    const world = await newWorld(disk);
    await world.changeGenerator(stripes1({ seed: 8n }));
    expect(await world.get([1, 2, 3])).toBe(blockOf(1, 8n, [1, 2, 3]));
    await world.changeGenerator(flat({ top: 10 }));
    expect([await world.get([1, 2, 3]), await world.get([1, 12, 3])]).toEqual([0, 0]);
    await world.close();
  });

  test("keeps chunks that a save has without clocks, in leaves of many regions", async () => {
    const disk = new MemoryDisk();
    const world = await newWorld(disk);
    for (let x = 0; x < 5; x++) await world.set([x * REGION * 3, 0, 0], 99);
    await world.close();
    const save = await openSave(disk, { generators: world.engine.state.generators });
    const leaves = [];
    for await (const leaf of save.index.all()) leaves.push(leaf);
    expect(leaves.some(({ cube }) => cube.max[0] - cube.min[0] > 4)).toBe(true);
    await save.close();
    const again = await openWorld(disk, { ...optionsOf(), dimensions: 3 });
    const { kept } = await again.changeGenerator(stripes2({ seed: SEED }), { keep: { margin: 0 } });
    expect(kept).toEqual(Array.from({ length: 5 }, (_, x) => regions([x * 3, 0, 0], [x * 3 + 1, 1, 1])));
    await again.close();
  });

  test("keeps larger cubes when a world has more separate places than a map may have boxes", async () => {
    const disk = new MemoryDisk();
    const generator = flat({ top: 4 });
    const world = await createWorld(disk, { dimensions: 3, generator }, { autosave: false });
    const prng = new Prng(4);
    const houses = Array.from(
      { length: 6_000 },
      (): Position<3> => [REGION * (prng.below(4_000) - 2_000), 20, REGION * (prng.below(4_000) - 2_000)],
    );
    for (let first = 0; first < houses.length; first += 1_000)
      await world.edit(houses.slice(first, first + 1_000).map((position) => ({ position, block: 5 })));
    const { kept } = await world.changeGenerator(terrain({ seed: 1n }), { keep: { margin: 0 } });
    expect(kept.length).toBeGreaterThan(500);
    expect(kept.length).toBeLessThanOrEqual(4_096);
    for (const house of houses) expect(isIn(kept, house)).toBe(true);
    const [x, , z] = houses[0] as Position<3>;
    expect(await world.get([x, 3, z])).toBe(3);
    await world.close();
    expect((await verifySave(disk)).filter(({ severity }) => severity === "damage")).toEqual([]);
  }, 120_000);

  test("keeps regions that were edited and restored, because clients know them by their clocks", async () => {
    const world = await newWorld(new MemoryDisk());
    await world.set(HOUSE, 99);
    await world.set(HOUSE, 0);
    const { kept } = await world.changeGenerator(stripes2({ seed: SEED }), { keep: { margin: 0 } });
    expect(kept).toEqual([regions([1, 1, 0], [2, 2, 1])]);
    expect(world.engine.clockOf([1, 1, 0, 0])).not.toBe(CLOCK_NEVER);
    await world.close();
  });

  test("leaves a past state as it was, and restores what the earlier generator made", async () => {
    const world = await newWorld(new MemoryDisk());
    const generation = await world.history.tag("before");
    await world.changeGenerator(stripes2({ seed: SEED }));
    await world.set([3, 0, 3], 99);
    const near = { unit: "chunks", min: [0, -1, 0], max: [2, 1, 2] } as const;
    expect(await world.restoreChunks(near, generation)).toEqual({ status: "applied" });
    for (const voxel of [
      [3, 0, 3],
      [0, -8, 0],
      [15, 7, 15],
    ] as const)
      expect(await world.get(voxel)).toBe(blockOf(1, SEED, voxel));
    for (const voxel of [
      [16, 0, 0],
      [0, 8, 0],
      [-1, 0, 0],
    ] as const)
      expect(await world.get(voxel)).toBe(blockOf(2, SEED, voxel));
    const wide = { unit: "chunks", min: [-100, -100, -100], max: [100, 100, 100] } as const;
    expect(await codeOfRejection(world.restoreChunks(wide, generation))).toBe("ORT_LIMIT");
    await world.close();
  });

  test("can be opened without the earlier generator, which is missing only where it is needed", async () => {
    const disk = new MemoryDisk();
    const world = await newWorld(disk);
    await world.set(HOUSE, 99);
    await world.changeGenerator(stripes2({ seed: SEED }));
    await world.close();
    const options = { dimensions: 3, autosave: false } as const;
    const newer = await openWorld(disk, { ...options, generators: [stripes2] });
    expect(await newer.get([-160, 0, 0])).toBe(blockOf(2, SEED, [-160, 0, 0]));
    await expect(newer.get([40, 0, 8])).rejects.toThrow(/ORT_GENERATOR_VERSION.*test:stripes/);
    await newer.set([-160, 0, 0], 5);
    await newer.close();
    expect(await codeOfRejection(openWorld(disk, { ...options, generators: [stripes1] }))).toBe(
      "ORT_GENERATOR_VERSION",
    );
    const again = await openWorld(disk, { ...options, generators: STRIPES });
    expect([await again.get(HOUSE), await again.get([-160, 0, 0])]).toEqual([99, 5]);
    await again.close();
  });

  test("is refused for wrong arguments, by a reader and after the world was closed", async () => {
    const disk = new MemoryDisk();
    const world = await newWorld(disk);
    const next = stripes2({ seed: SEED });
    for (const wrong of [undefined, stripes2, {}, generatorRef(terrain.generator, TERRAIN_DEFAULTS, 1n)])
      await expect(world.changeGenerator(wrong as never)).rejects.toThrow("ORT_ARGUMENT: next is");
    await expect(world.changeGenerator(next, { keep: { margin: -1 } })).rejects.toThrow(/keep\.margin is -1/);
    await expect(world.changeGenerator(next, { keep: { boxes: [1] } as never })).rejects.toThrow(
      /keep\.boxes\[0\]/,
    );
    await expect(world.changeGenerator(next, { margin: 3 } as never)).rejects.toThrow(/margin/);
    await expect(world.changeGenerator(next, { keep: { rim: 3 } as never })).rejects.toThrow(/rim/);
    expect(await world.get([0, 0, 0])).toBe(blockOf(1, SEED, [0, 0, 0]));
    await world.close();
    expect(await codeOfRejection(world.changeGenerator(next))).toBe("ORT_CLOSED");
    const reader = await openWorld(disk, { ...optionsOf(), dimensions: 3, readOnly: true });
    expect(await codeOfRejection(reader.changeGenerator(next))).toBe("ORT_READ_ONLY");
    await reader.close();
  });

  test("is there after a kill -9 right after it returned", async () => {
    const folder = await mkdtemp(join(tmpdir(), "orthant-generator-"));
    const generator = flat({ top: 40 });
    const world = await createWorld(new NodeDisk(folder), { dimensions: 3, generator });
    await world.set(HOUSE, 99);
    await world.close();
    const ended = await runProgram(`
      import { flat } from "@orthant/core";
      import { NodeDisk } from "@orthant/disk/node";
      import { openWorld } from "@orthant/world";
      const world = await openWorld(new NodeDisk(${JSON.stringify(folder)}), { dimensions: 3 });
      await world.set([-1500, 39, -1500], 77);
      await world.changeGenerator(flat({ top: 40, block: 9 }));
      process.kill(process.pid, "SIGKILL");
    `);
    expect(ended.errors).toBe("");
    const again = await openWorld(new NodeDisk(folder), { dimensions: 3, autosave: false });
    const [kept, changed] = [await again.get([-1499, 39, -1500]), await again.get([1500, 39, 0])];
    expect([kept, changed]).toEqual([await world39(generator), 9]);
    expect([await again.get([-1500, 39, -1500]), await again.get(HOUSE)]).toEqual([77, 99]);
    await again.close();
  });
});

async function world39(generator: SeededGenerator): Promise<number> {
  const world = await createWorld(new MemoryDisk(), { dimensions: 3, generator }, { autosave: false });
  const block = await world.get([0, 39, 0]);
  await world.close();
  return block;
}
