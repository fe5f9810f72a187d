import { boxBetween } from "@orthant/core/lattice";
import { MemoryDisk } from "@orthant/disk";
import { DEFAULT_LIMITS, openSave } from "@orthant/save";
import { codeOfRejection, FakeTime } from "@orthant/testkit";
import { DEFAULT_CADENCE, ENTITY_HYSTERESIS_CHUNKS } from "@orthant/world";
import {
  createWorldEngine,
  type EngineOptions,
  openWorldEngine,
  type WorldEngine,
} from "@orthant/world/engine";
import { describe, expect, test } from "vitest";

describe("the autosave cadence", () => {
  const edit = (world: WorldEngine): unknown => world.set([0, 0, 0, 0], 2);
  const player = (world: WorldEngine): unknown => world.upsertPlayer({ playerId: 1n });

  test("defaults to 5 seconds for edits, 60 for players and 10 for moving entities", () => {
    expect(DEFAULT_CADENCE).toEqual({ worldMs: 5_000, playersMs: 60_000, entitiesMs: 10_000 });
  });

  test.each<
    [name: string, cadence: EngineOptions["cadence"], change: (world: WorldEngine) => unknown, ms: number]
  >([
    ["edits", { worldMs: 2_000 }, edit, 2_000],
    ["players", { playersMs: 3_000 }, player, 3_000],
    [
      "entities",
      { entitiesMs: 1_500 },
      (world) => world.entities.change(1n, { position: [2, 1, 1, 1] }),
      1_500,
    ],
  ])("can be set for %s when a world is created or opened", async (_name, cadence, change, ms) => {
    const time = new FakeTime();
    const disk = new MemoryDisk();
    const first = await createWorldEngine(disk, {}, { time, autosave: false });
    first.entities.spawn({ kind: 1, position: [1, 1, 1, 1] });
    await first.set([0, 0, 0, 0], 1);
    await first.close();
    const world = await openWorldEngine(disk, { time, ...(cadence && { cadence }) });
    await world.load(boxBetween([0, 0, 0, 0], [1, 1, 1, 1]));
    const before = await world.save();
    await change(world);
    time.advance(ms - 1);
    await turns();
    const early = world.generation;
    time.advance(1);
    await turns();
    // The first edit of a session commits its epoch at once.
    expect(early - before).toBeLessThanOrEqual(1);
    expect(world.generation).toBe(early + 1);
    await world.close();
  });

  test.each<[name: string, options: EngineOptions]>([
    ["no time", { cadence: { worldMs: 0 } }],
    ["half a millisecond", { cadence: { playersMs: 0.5 } }],
    ["more than timers have room for", { cadence: { entitiesMs: 2 ** 31 } }],
    ["text", { cadence: { worldMs: "5000" as never } }],
    ["a name that it does not have", { cadence: { edits: 5 } as never }],
    ["a negative hysteresis", { entityHysteresisChunks: -0.1 }],
    ["a hysteresis of more than a chunk", { entityHysteresisChunks: 1.5 }],
    ["a hysteresis that is not a number", { entityHysteresisChunks: Number.NaN }],
    ["less than no bytes in memory", { loadedBytesMax: -1 }],
  ])("is rejected with %s, and nothing is written", async (_name, options) => {
    const disk = new MemoryDisk();
    expect(await codeOfRejection(createWorldEngine(disk, {}, options))).toBe("ORT_ARGUMENT");
    const world = await createWorldEngine(disk, {}, { autosave: false });
    await world.close();
    expect(await codeOfRejection(openWorldEngine(disk, options))).toBe("ORT_ARGUMENT");
  });
});

describe("the entity hysteresis", () => {
  test.each<[hysteresis: number | undefined, stays: number, leaves: number]>([
    [undefined, 0.19, 0.21],
    [0, -0.01, 0.01],
    [1, 0.99, 1.01],
  ])(
    "the entity hysteresis of %s chunks keeps an entity in its leaf at a distance of %s, but not of %s",
    async (hysteresis, stays, leaves) => {
      expect(ENTITY_HYSTERESIS_CHUNKS).toBe(0.2);
      const edge = 65_536 * 8;
      for (const [chunksOut, generations] of [
        [stays, 0],
        [leaves, 1],
      ] as const) {
        const time = new FakeTime();
        const world = await createWorldEngine(
          new MemoryDisk(),
          {},
          { time, ...(hysteresis !== undefined && { entityHysteresisChunks: hysteresis }) },
        );
        const { entityId } = world.entities.spawn({ kind: 1, position: [edge - 1, 0, 0, 0] });
        const before = await world.save();
        world.entities.change(entityId, { position: [edge + chunksOut * 8, 0, 0, 0] });
        // An entity that left its leaf is saved with the world, any other one later.
        time.advance(DEFAULT_CADENCE.worldMs);
        await turns();
        expect(world.generation - before, `${chunksOut} chunks`).toBe(generations);
        await world.close();
      }
    },
  );
});

describe("the file limits of a new world", () => {
  test("default to those of the specification and stay with the world", async () => {
    const disk = new MemoryDisk();
    const limits = { dataFileMaxBytes: 2_048, chunkBlobTargetBytes: 4_096, indexSoftMaxBytes: 1_000 };
    await (await createWorldEngine(disk, { limits }, { autosave: false })).close();
    const world = await openWorldEngine(disk, { autosave: false });
    await world.set([0, 0, 0, 0], 1);
    await world.close();
    const save = await openSave(disk);
    expect(save.manifest.limits).toEqual({ ...DEFAULT_LIMITS, ...limits });
    await save.close();
  });

  test.each([
    { dataFileMaxBytes: 1_023 },
    { chunkBlobHardMaxBytes: 262_143 },
    { chunkBlobTargetBytes: 524_289 },
    { entityBlobTargetBytes: 0 },
    { entityBlobHardMaxBytes: 1.5 },
    { indexSoftMaxBytes: "1" as never },
  ])("are rejected when out of range: %j", async (limits) => {
    const disk = new MemoryDisk();
    expect(await codeOfRejection(createWorldEngine(disk, { limits }))).toBe("ORT_ARGUMENT");
    await (await createWorldEngine(disk, {}, { autosave: false })).close();
  });
});

/** Lets a running save finish. */
async function turns(): Promise<void> {
  for (let turn = 0; turn < 50; turn++) await new Promise((resolve) => setImmediate(resolve));
}
