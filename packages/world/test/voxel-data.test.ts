import { type BlockChange, chunkFromVoxels, type DataCodec, type Position } from "@orthant/core";
import { boxBetween, chunkOfVoxel, voxelIndex } from "@orthant/core/lattice";
import { MemoryDisk } from "@orthant/disk";
import { CrashDisk, codeOfRejection, explorePowerCuts, FakeTime, type Survivor } from "@orthant/testkit";
import { createWorld, openWorld, type World } from "@orthant/world";
import {
  createWorldEngine,
  type EngineOptions,
  openWorldEngine,
  type WorldEngine,
} from "@orthant/world/engine";
import { describe, expect, onTestFinished, test } from "vitest";

const quiet: EngineOptions = { time: new FakeTime(), autosave: false };
const journaled: EngineOptions = { ...quiet, durability: "journal" };
const CHEST = 6;
const STONE = 1;
const PLACE: Position<3> = [3, 64, -2];

async function newWorld(disk = new MemoryDisk()): Promise<World<3>> {
  const world = await createWorld(disk, { dimensions: 3 }, quiet);
  onTestFinished(() => world.close());
  return world;
}

describe("the data of a voxel", () => {
  test("is what was set, with its block or alone, until it is removed", async () => {
    const world = await newWorld();
    expect([await world.data(PLACE), world.dataAt(PLACE)]).toEqual([undefined, undefined]);
    expect(await world.set(PLACE, CHEST, { data: { items: ["lamp"] } })).toEqual({ status: "applied" });
    expect(await world.data(PLACE)).toEqual({ items: ["lamp"] });
    expect(world.dataAt(PLACE)).toEqual({ items: ["lamp"] });
    expect(await world.setData(PLACE, Uint8Array.of(1, 2))).toEqual({ status: "applied" });
    expect([await world.data(PLACE), await world.get(PLACE)]).toEqual([Uint8Array.of(1, 2), CHEST]);
    expect(await world.setData(PLACE, Uint8Array.of(1, 2))).toEqual({ status: "unchanged" });
    await world.edit([
      { position: PLACE, data: "text" },
      { position: [4, 64, -2], block: CHEST, data: 7 },
    ]);
    expect([world.dataAt(PLACE), world.dataAt([4, 64, -2])]).toEqual(["text", 7]);
    await world.setData(PLACE, null);
    expect([await world.data(PLACE), await world.get(PLACE)]).toEqual([undefined, CHEST]);
  });

  test("has exactly 32,768 bytes at most, of bytes, of JSON and of a codec, also after a crash", async () => {
    const same: DataCodec = { encode: (value) => value as Uint8Array, decode: (bytes) => bytes };
    const most = new Uint8Array(32_768).fill(7);
    const tooLong = (length: number): string =>
      `ORT_LIMIT: data has ${length} bytes, which exceed the limit of 32768 for a voxel`;
    for (const [dataCodec, value, over] of [
      [undefined, most, new Uint8Array(32_769)],
      [undefined, "x".repeat(32_766), "x".repeat(32_767)],
      [same, most, new Uint8Array(32_769)],
    ] as const) {
      const disk = new MemoryDisk();
      const options = { ...journaled, ...(dataCodec && { dataCodec }) };
      const world = await createWorld(disk, { dimensions: 3 }, options);
      expect((await world.setData(PLACE, value)).status).toBe("applied");
      await expect(world.setData(PLACE, over)).rejects.toThrow(tooLong(32_769));
      const crashed = new MemoryDisk(disk.image());
      await world.close();
      for (const left of [crashed, disk]) {
        const found = await openWorld<3>(left, options);
        expect(await found.data(PLACE)).toEqual(value);
        await found.close();
      }
    }
  });

  test("is a copy of what a game or its codec gave, also of a Buffer of Node", async () => {
    const scratch = Buffer.from("mine");
    const codec: DataCodec = { encode: () => scratch, decode: (bytes) => new TextDecoder().decode(bytes) };
    const world = await createWorld(new MemoryDisk(), { dimensions: 3 }, { ...quiet, dataCodec: codec });
    onTestFinished(() => world.close());
    const raw = Buffer.from("raw");
    const entity = world.engine.entities.spawn({ kind: 1, position: [0, 0, 0, 0], payload: raw });
    await world.set(PLACE, CHEST, { data: "any" });
    await world.engine.edit([{ voxel: [0, 0, 0, 0], block: CHEST, data: raw }]);
    scratch.fill(0);
    raw.fill(0);
    expect([await world.data(PLACE), await world.data([0, 0, 0])]).toEqual(["mine", "raw"]);
    expect(world.engine.entities.get(entity.entityId)?.payload).toEqual(new TextEncoder().encode("raw"));
  });

  test("stays with the type of its block and goes with it", async () => {
    const world = await newWorld();
    const { chest } = await world.defineBlocks({
      chest: { colour: 0x8b5a2b, solid: true, properties: { facing: ["north", "east"] } },
    });
    await world.set(PLACE, chest.id({ facing: "north" }), { data: "mine" });
    await world.set(PLACE, chest.id({ facing: "east" }));
    expect(await world.data(PLACE)).toBe("mine");
    await world.fill({ unit: "voxels", min: [0, 60, -4], max: [8, 70, 4] }, chest.id({ facing: "north" }));
    expect(await world.data(PLACE)).toBe("mine");
    await world.set(PLACE, STONE);
    await world.set(PLACE, chest.id());
    expect(await world.data(PLACE)).toBeUndefined();
    await world.set(PLACE, chest.id(), { data: "mine" });
    await world.fill({ unit: "voxels", min: [0, 48, -16], max: [16, 80, 16] }, STONE);
    expect(await world.data(PLACE)).toBeUndefined();
  });

  test("is copied, also onto itself, and is part of what listeners see", async () => {
    const world = await newWorld();
    const seen: BlockChange<3>[][] = [];
    world.onEdit(({ changes }) => seen.push([...changes]));
    await world.set(PLACE, CHEST, { data: "a" });
    await world.setData(PLACE, "b");
    const [x, y, z] = PLACE;
    await world.copy({ unit: "voxels", min: PLACE, max: [x + 2, y + 1, z + 1] }, [x + 1, y, z]);
    expect(world.dataAt([x + 1, y, z])).toBe("b");
    await world.set(PLACE, STONE);
    expect(seen).toEqual([
      [{ position: PLACE, block: CHEST, before: 0, data: "a" }],
      [{ position: PLACE, block: CHEST, before: CHEST, data: "b", dataBefore: "a" }],
      [{ position: [x + 1, y, z], block: CHEST, before: 0, data: "b" }],
      [{ position: PLACE, block: STONE, before: CHEST, dataBefore: "b" }],
    ]);
  });

  test("is there after a save and a reopening, in a history and after restoring", async () => {
    const disk = new MemoryDisk();
    const world = await newWorld(disk);
    const items = "x".repeat(2_000);
    await world.set(PLACE, CHEST, { data: items });
    await world.set([0, 0, 0], 0, { data: "in the air" });
    const generation = await world.save();
    await world.set(PLACE, STONE);
    await world.save();
    await world.close();
    const again = await openWorld<3>(disk, { ...quiet, dimensions: 3 });
    onTestFinished(() => again.close());
    expect([await again.data(PLACE), await again.data([0, 0, 0])]).toEqual([undefined, "in the air"]);
    const past = await openWorld<3>(disk, { ...quiet, at: generation });
    expect([await past.get(PLACE), await past.data(PLACE)]).toEqual([CHEST, items]);
    await past.close();
    await again.restoreChunks({ unit: "chunks", min: [0, 4, -1], max: [1, 5, 0] }, generation);
    expect([await again.get(PLACE), await again.data(PLACE)]).toEqual([CHEST, items]);
  });

  test("is encoded and decoded by the codec of the game", async () => {
    const upper: DataCodec = {
      encode: (value) => new TextEncoder().encode(String(value).toUpperCase()),
      decode(bytes) {
        if (bytes.length === 0) throw new Error("no text");
        return new TextDecoder().decode(bytes);
      },
    };
    const world = await createWorld(new MemoryDisk(), { dimensions: 3 }, { ...quiet, dataCodec: upper });
    onTestFinished(() => world.close());
    await world.set(PLACE, CHEST, { data: "abc" });
    expect(world.dataAt(PLACE)).toBe("ABC");
    await world.engine.edit([{ voxel: [...PLACE, 0], data: new Uint8Array() }]);
    await expect(world.data(PLACE)).rejects.toThrow("no text");
    let shown: unknown;
    world.onEdit(({ changes }) => {
      for (const { dataBefore } of changes) shown = dataBefore;
    });
    await world.set(PLACE, STONE);
    expect(shown).toEqual(new Uint8Array());
  });

  test.each<[name: string, data: unknown, code: string]>([
    ["a function", () => 1, "ORT_ARGUMENT"],
    ["a bigint inside", { gold: 1n }, "ORT_ARGUMENT"],
    ["more than 32 KiB", "x".repeat(32_768), "ORT_LIMIT"],
    ["undefined", undefined, "ORT_ARGUMENT"],
  ])("is refused if it is %s", async (_name, data, code) => {
    const world = await newWorld();
    expect(await codeOfRejection(world.setData(PLACE, data))).toBe(code);
  });

  test("an edit with data above the limit of a chunk is refused as a whole", async () => {
    const world = await newWorld();
    const data = "x".repeat(32_000);
    const placements = Array.from({ length: 9 }, (_, x) => ({
      position: [x, 0, 0] as const,
      block: CHEST,
      data,
    }));
    await world.edit(placements.slice(0, 8));
    expect(await codeOfRejection(world.edit(placements.slice(8)))).toBe("ORT_LIMIT");
    expect(await world.get([8, 0, 0])).toBe(0);
    expect(await world.set([0, 0, 0], STONE)).toEqual({ status: "applied" });
    expect(await world.edit(placements.slice(8))).toEqual({ status: "applied" });
  });
});

describe("block and data", () => {
  async function dataIn(world: WorldEngine, voxel: Position): Promise<Uint8Array | undefined> {
    return (await world.chunk(chunkOfVoxel(world.shape, voxel))).dataAt(voxelIndex(world.shape, ...voxel));
  }

  const VOXELS: readonly Position[] = [
    [0, 0, 0, 0],
    [600_000, 0, 0, 0],
  ];

  /** Puts a number into two voxels, too far apart to share a leaf, as the block and as the data of each. */
  async function number(world: WorldEngine, step: number, isApart: boolean): Promise<void> {
    const data = new Uint8Array(step % 2 === 0 ? 3 : 3_000).fill(step);
    const placements = VOXELS.map((voxel) => ({ voxel, block: step, data }));
    if (!isApart) {
      await world.edit(placements);
      return;
    }
    await world.edit(placements.map(({ voxel, block }) => ({ voxel, block })));
    await world.edit(placements.map(({ voxel }) => ({ voxel, data })));
  }

  /** Cuts the power everywhere and compares both voxels, their blocks and their data. Returns the steps found. */
  async function explore(options: EngineOptions, isApart: boolean): Promise<ReadonlySet<number>> {
    const recorder = new CrashDisk();
    const world = await createWorldEngine(recorder, {}, options);
    const made = recorder.log.length;
    const durable: { readonly at: number; readonly step: number }[] = [];
    for (let step = 1; step <= 4; step++) {
      await number(world, step, isApart);
      if (options.durability !== "journal" || step === 2) await world.save();
      durable.push({ at: recorder.log.length, step });
    }
    const found = new Set<number>();
    const check = async ({ disk, cutAt }: Survivor): Promise<void> => {
      if (cutAt < made) return;
      const survivor = await openWorldEngine(disk, quiet);
      const step = await survivor.get([0, 0, 0, 0]);
      for (const voxel of VOXELS) {
        expect(await survivor.get(voxel)).toBe(step);
        expect((await dataIn(survivor, voxel))?.[0] ?? 0, "data of another edit than the block").toBe(step);
      }
      for (const { at, step: least } of durable) if (cutAt >= at) expect(step).toBeGreaterThanOrEqual(least);
      found.add(step);
      await number(survivor, 9, false);
      await survivor.close();
    };
    const expectedAt = (cutAt: number): string =>
      `${cutAt >= made} ${durable.filter(({ at }) => cutAt >= at).length}`;
    await explorePowerCuts(recorder, { disksPerCut: 3, seed: 3 }, check, expectedAt);
    await world.close();
    return found;
  }

  test.each<[name: string, options: EngineOptions]>([
    ["a journal", journaled],
    ["snapshots alone", quiet],
  ])("are of the same edit after any power cut, with %s", async (_name, options) => {
    const found = await explore(options, false);
    expect(found.has(0) && found.has(4) && found.size >= 3).toBe(true);
  });

  test("a block and data that are written apart are found apart by the same check", async () => {
    await expect(explore(journaled, true)).rejects.toThrow("data of another edit than the block");
  });

  test("are read from the journal, as edits and as whole chunks", async () => {
    const disk = new MemoryDisk();
    const world = await createWorldEngine(disk, {}, journaled);
    const chunk = chunkFromVoxels(Uint16Array.from({ length: 4_096 }, (_, index) => index));
    const data = new Uint8Array(2_048).fill(7);
    await world.setChunks([[[0, 0, 0, 0], chunk.editData([{ index: 5, data }])]]);
    await world.edit([{ voxel: [6, 0, 0, 0], data }]);
    await world.copy(boxBetween([5, 0, 0, 0], [7, 1, 1, 1]), [40, 0, 0, 0]);
    await world.edit([{ voxel: [5, 0, 0, 0], data: null }]);
    const found = await openWorldEngine(new MemoryDisk(disk.image()), quiet);
    expect(await dataIn(found, [5, 0, 0, 0])).toBeUndefined();
    for (const x of [6, 40, 41]) expect(await dataIn(found, [x, 0, 0, 0])).toEqual(data);
    expect((await found.chunk([0, 0, 0, 0])).equals(await world.chunk([0, 0, 0, 0]))).toBe(true);
    await found.close();
    await world.close();
  });
});
