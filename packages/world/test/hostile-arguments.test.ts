import { emptyChunk, flat, HYPERCUBE_CHUNKS, isOrthantError, systemTime, uniformChunk } from "@orthant/core";
import { FLAT_DEFAULTS, flatGenerator, generatorRef } from "@orthant/core/generate";
import { cubeAt } from "@orthant/core/lattice";
import { MemoryDisk } from "@orthant/disk";
import { FakeTime } from "@orthant/testkit";
import { createWorld } from "@orthant/world";
import { createWorldEngine, openWorldEngine, type WorldEngine } from "@orthant/world/engine";
import { describe, expect, test } from "vitest";

const quiet = { time: new FakeTime(), autosave: false };
const EVERYWHERE = { min: [-100, -100, -100, -100], max: [100, 100, 100, 100] } as const;

/** What an untyped program may pass: at least one value of every kind that JavaScript has. */
const VALUES: readonly (readonly [name: string, value: unknown])[] = [
  ["undefined", undefined],
  ["null", null],
  ["true", true],
  ["0", 0],
  ["1", 1],
  ["-1", -1],
  ["one half", 0.5],
  ["NaN", Number.NaN],
  ["Infinity", Infinity],
  ["2^60", 2 ** 60],
  ["1e300", 1e300],
  ["1n", 1n],
  ["-1n", -1n],
  ["2^64 as a bigint", 2n ** 64n],
  ["an empty string", ""],
  ["digits", "1"],
  ["text with a NUL", "a\0b"],
  ["half a character", "\ud800"],
  ["text of 70,000 bytes", "x".repeat(70_000)],
  ["an empty array", []],
  ["four numbers", [1, 2, 3, 4]],
  ["five numbers", [1, 2, 3, 4, 5]],
  ["four strings", ["1", "2", "3", "4"]],
  ["four bigints", [1n, 2n, 3n, 4n]],
  ["a NaN among numbers", [0, Number.NaN, 0, 0]],
  ["numbers that 32 bits cannot hold", [1e300, 0, 0, 0]],
  ["numbers far outside of the lattice", [1e30, 0, 0, 0]],
  ["an array with a hole", Object.assign(new Array(4), { 0: 1, 1: 2, 3: 4 })],
  ["pairs", [["key", Uint8Array.of(1)]]],
  ["pairs of numbers", [[1, 2]]],
  ["an object", {}],
  ["an object that looks like a list", { length: 4, 0: 1, 1: 2, 2: 3, 3: 4 }],
  ["bytes", Uint8Array.of(1, 2, 3, 4)],
  ["16-bit numbers", Uint16Array.of(1, 2, 3, 4)],
  ["floats", Float64Array.of(1, 2, 3, 4)],
  ["a DataView", new DataView(new ArrayBuffer(4))],
  ["a buffer", new ArrayBuffer(4)],
  ["a date", new Date(0)],
  ["a function", () => 1],
  ["a symbol", Symbol("x")],
];

/** All calls that store something, each with one field open. */
const FIELDS: readonly (readonly [name: string, call: (world: WorldEngine, value: never) => unknown])[] = [
  ["upsertPlayer", (world, value) => world.upsertPlayer(value)],
  ...[
    "playerId",
    "authKey",
    "name",
    "position",
    "orientation",
    "tags",
    "inventory",
    "metadata",
    "health",
  ].map(
    (field) =>
      [
        `upsertPlayer ${field}`,
        (world: WorldEngine, value: never) => world.upsertPlayer({ playerId: 5n, [field]: value }),
      ] as const,
  ),
  ["spawnEntity", (world, value) => world.entities.spawn(value)],
  ...[
    ...["entityClass", "kind", "position", "orientation", "velocity", "scale", "block", "displayName"],
    ...["tags", "payload", "entityId", "lastSavedMs", "health"],
  ].flatMap((field) => [
    [
      `spawnEntity ${field}`,
      (world: WorldEngine, value: never) =>
        world.entities.spawn({ kind: 1, position: [1, 1, 1, 1], [field]: value }),
    ] as const,
    [
      `changeEntity ${field}`,
      (world: WorldEngine, value: never) => world.entities.change(1n, { [field]: value }),
    ] as const,
  ]),
  ["changeEntity", (world, value) => world.entities.change(1n, value)],
  ["changeEntity by id", (world, value) => world.entities.change(value, { scale: 2 })],
  ["despawnEntity", (world, value) => world.entities.despawn(value)],
  ["entity", (world, value) => world.entities.get(value)],
  ["player", (world, value) => world.player(value)],
  ["lastEditOf", (world, value) => world.lastEditOf(value)],
  ["describe name", (world, value) => world.describe({ name: value })],
  ["describe spawn", (world, value) => world.describe({ spawn: value })],
  ["set position", (world, value) => world.set(value, 1)],
  ["set block", (world, value) => world.set([1, 1, 1, 1], value)],
  ["edit", (world, value) => world.edit(value)],
  ["edit of one", (world, value) => world.edit([value])],
  ...["clientId", "editId", "playerId"].map(
    (field) =>
      [
        `edit ${field}`,
        (world: WorldEngine, value: never) =>
          world.edit([{ voxel: [2, 2, 2, 2], block: 1 }], {
            origin: { clientId: 1n, editId: 1, [field]: value },
          }),
      ] as const,
  ),
  ["fill box", (world, value) => world.fill(value, 1)],
  ["fill corner", (world, value) => world.fill({ min: value, max: [9, 9, 9, 9] }, 1)],
  ["fill block", (world, value) => world.fill(cubeAt([0, 0, 0, 0], 2), value)],
  ["copy box", (world, value) => world.copy(value, [1, 1, 1, 1])],
  ["copy to", (world, value) => world.copy(cubeAt([0, 0, 0, 0], 2), value)],
  ["setChunks", (world, value) => world.setChunks(value)],
  ["setChunks pair", (world, value) => world.setChunks([value])],
  ["setChunks position", (world, value) => world.setChunks([[value, uniformChunk(4_096, 3)]])],
  ["setChunks chunk", (world, value) => world.setChunks([[[0, 0, 0, 0], value]])],
  ["history.tag", (world, value) => world.history.tag(value)],
  ["history.tag of a generation", (world, value) => world.history.tag("name", value)],
];

/** Returns everything that a world shows, with floats as a save stores them. */
async function shownBy(world: WorldEngine): Promise<unknown> {
  const entities = await world.entities.in(EVERYWHERE);
  const rounded = (numbers: readonly number[]): readonly number[] => Array.from(numbers, Math.fround);
  return {
    name: world.name,
    spawn: [...world.spawn],
    players: world.players,
    entities: entities.map((entity) => ({
      ...entity,
      position: rounded(entity.position),
      orientation: rounded(entity.orientation),
      velocity: rounded(entity.velocity),
      scale: Math.fround(entity.scale),
      lastSavedMs: 0,
    })),
    voxels: await Promise.all(
      [0, 1, 2].map(async (coordinate) => world.get([coordinate, coordinate, coordinate, coordinate])),
    ),
    lastEdit: world.lastEditOf(1n),
  };
}

describe("a value of any kind", () => {
  test.each(FIELDS)(
    "a value of any kind for %s is rejected with ORT_ARGUMENT or a similar code, or stored as it is shown",
    async (_name, call) => {
      const disk = new MemoryDisk();
      const world = await createWorldEngine(
        disk,
        { generator: generatorRef(flatGenerator, FLAT_DEFAULTS, 1n) },
        quiet,
      );
      let acceptedCount = 0;
      for (const [kind, value] of VALUES) {
        if (world.entities.get(1n) === undefined) world.entities.spawn({ kind: 1, position: [0, 0, 0, 0] });
        try {
          await call(world, value as never);
          acceptedCount++;
        } catch (error) {
          if (!isOrthantError(error)) throw new Error(`${kind}: ${String(error)}`, { cause: error });
        }
      }
      expect(acceptedCount).toBeLessThan(VALUES.length);
      const shown = await shownBy(world);
      await world.close();
      const again = await openWorldEngine(disk, { ...quiet, readOnly: true });
      expect(await shownBy(again)).toEqual(shown);
      await again.close();
    },
  );

  test.each<[name: string, make: (value: never) => unknown]>([
    ["the seed of a generator", (value) => generatorRef(flatGenerator, FLAT_DEFAULTS, value)],
    ["the name of a new world", (name) => createWorldEngine(new MemoryDisk(), { name }, quiet)],
    ["the spawn point of a new world", (spawn) => createWorldEngine(new MemoryDisk(), { spawn }, quiet)],
  ])(
    "a value of any kind for %s is rejected with an Orthant error code, or accepted",
    async (_name, make) => {
      for (const [kind, value] of VALUES) {
        try {
          await make(value as never);
        } catch (error) {
          if (!isOrthantError(error)) throw new Error(`${kind}: ${String(error)}`, { cause: error });
        }
      }
    },
  );
});

describe("the message of a rejection", () => {
  test.each<[call: (world: WorldEngine) => unknown, detail: string]>([
    [
      (world) => world.upsertPlayer({ playerId: 1 as never }),
      "playerId is 1 (a number); it is a bigint from 0n to 2n ** 64n - 1n: write 1n",
    ],
    [
      (world) => world.player("1" as never),
      'playerId is "1" (a string); it is a bigint from 0n to 2n ** 64n - 1n',
    ],
    [
      () => generatorRef(flatGenerator, FLAT_DEFAULTS, 7 as never),
      "seed is 7 (a number); it is a bigint: write 7n",
    ],
    [
      (world) => world.upsertPlayer({ playerId: 1n, inventory: [1, 2] as never }),
      "inventory is [1, 2]; it is a Uint8Array",
    ],
    [
      (world) => world.upsertPlayer({ playerId: 1n, tags: "ab" as never }),
      'tags is "ab" (a string); it is a list of strings',
    ],
    [
      (world) => world.entities.spawn({ kind: 1, position: [0, Number.NaN, 0, 0] }),
      "position is [0, NaN, 0, 0]; it is a list of four finite numbers",
    ],
  ])("%# says what would be right", async (call, detail) => {
    const world = await createWorldEngine(new MemoryDisk(), {}, quiet);
    expect(() => call(world)).toThrow(expect.objectContaining({ code: "ORT_ARGUMENT", detail }));
    await world.close();
  });

  test("names the known fields when an unknown one is given", async () => {
    const world = await createWorldEngine(new MemoryDisk(), {}, quiet);
    expect(() => world.upsertPlayer({ playerId: 1n, health: 5 } as never)).toThrow(
      /a player has no field health; there are playerId, authKey/,
    );
    await world.close();
  });
});

test("a chunk of another shape is rejected", async () => {
  const world = await createWorldEngine(new MemoryDisk(), { shape: HYPERCUBE_CHUNKS }, quiet);
  await expect(world.setChunks([[[0, 0, 0, 0], emptyChunk(16)]])).rejects.toThrow(/ORT_/);
  await world.close();
});

test.each([undefined, 0.5, -1, "1"])("createWorld refuses a clock that says %s", async (nowMs) => {
  const time = { ...systemTime, nowMs: () => nowMs as number };
  const created = createWorld(new MemoryDisk(), { dimensions: 3, generator: flat() }, { time });
  await expect(created).rejects.toThrow(/^ORT_ARGUMENT: time\.nowMs\(\) is .*it returns whole milliseconds/);
});

test.each(["after", "wait"])("createWorld refuses a clock whose %s returns no timer", async (method) => {
  const time = { ...systemTime, [method]: async () => undefined };
  const created = createWorld(new MemoryDisk(), { dimensions: 3, generator: flat() }, { time });
  await expect(created).rejects.toThrow(`ORT_ARGUMENT: time.${method}() is an object; it returns a timer`);
});
