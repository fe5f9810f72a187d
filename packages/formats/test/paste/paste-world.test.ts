import { AIR, type BlockDefinitions, box, flat, type Position, terrain } from "@orthant/core";
import { MemoryDisk } from "@orthant/disk";
import { importToMemory, pasteWorld } from "@orthant/formats/imports";
import { openSave, type Save } from "@orthant/save";
import { codeOfRejection } from "@orthant/testkit";
import { createWorld, type World } from "@orthant/world";
import { describe, expect, test } from "vitest";

const AT: Position<3> = [100, 50, 100];
const STONE = 1;

/** Returns the save of a world that `build` has edited. */
async function sourceOf(
  build: (world: World<3>) => Promise<unknown>,
  generator?: ReturnType<typeof flat>,
): Promise<Save> {
  const disk = new MemoryDisk();
  const world = await createWorld(disk, { dimensions: 3, ...(generator && { generator }) });
  await build(world);
  await world.close();
  return openSave(disk);
}

/** Returns the save of a world with one block of a type that is defined. */
function sourceWith(name: string, definition: BlockDefinitions[string], properties = {}): Promise<Save> {
  return sourceOf(async (world) => {
    const handles = await world.defineBlocks({ [name]: definition });
    await world.set([0, 0, 0], handles[name]?.id(properties) ?? AIR);
  });
}

function stoneWorld(): Promise<World<3>> {
  return createWorld(new MemoryDisk(), {
    dimensions: 3,
    generator: flat({ top: 60, thickness: 100, block: STONE }),
  });
}

describe("pasteWorld", () => {
  test("[IM88] begins at the lowest corner of all blocks, and leaves out air by default", async () => {
    const source = await sourceOf(async (world) => {
      await world.set([-3, 20, 7], 11);
      await world.set([-1, 22, 40], 13, { data: { text: "hello" } });
    });
    const world = await stoneWorld();
    const report = await pasteWorld(world, source, { at: AT });
    expect(report).toEqual({
      box: box([-3, 20, 7], [0, 23, 41]),
      at: AT,
      voxels: 2,
      data: 1,
      defined: [],
      renamed: [],
      losses: [],
    });
    expect(await world.get(AT)).toBe(11);
    expect(await world.get([102, 52, 133])).toBe(13);
    expect(await world.data([102, 52, 133])).toEqual({ text: "hello" });
    expect(await world.get([101, 50, 100])).toBe(STONE);
  });

  test("[IM88] sets air, too, if it is asked to, and removes data that was there", async () => {
    const source = await sourceOf((world) => world.set([0, 0, 0], 11));
    const world = await stoneWorld();
    await world.set([101, 50, 100], 13, { data: "old" });
    await world.set(AT, 11, { data: "old" });
    const report = await pasteWorld(world, source, {
      at: AT,
      box: box([0, 0, 0], [40, 2, 1]),
      air: true,
    });
    expect(report.voxels).toBe(80);
    expect(await world.get([101, 50, 100])).toBe(AIR);
    expect(await world.data([101, 50, 100])).toBeUndefined();
    expect(await world.data(AT)).toBeUndefined();
    expect(await world.get([139, 51, 100])).toBe(AIR);
    expect(await world.get([140, 51, 100])).toBe(STONE);
  });

  test("[IM88] takes what a generator makes from inside of the box", async () => {
    const source = await sourceOf(
      (world) => world.set([0, 5, 0], 13),
      flat({ top: 4, thickness: 4, block: 2 }),
    );
    const world = await stoneWorld();
    const report = await pasteWorld(world, source, { at: AT, box: box([-20, 0, 0], [20, 6, 1]) });
    expect(report.voxels).toBe(40 * 4 + 1);
    expect(await world.get(AT)).toBe(2);
    expect(await world.get([120, 55, 100])).toBe(13);
  });

  test("[IM89] defines a type that is missing, with its looks and all of its properties", async () => {
    const chest = {
      ...{ colour: 0x8b5a2b, solid: true, transparent: false, light: 3 },
      ...{ properties: { facing: ["north", "east"] }, tags: ["container"] },
    };
    const world = await stoneWorld();
    const report = await pasteWorld(world, await sourceWith("chest", chest, { facing: "east" }), { at: AT });
    expect(report.defined).toEqual(["chest"]);
    expect(world.blocks.describe(await world.get(AT))).toEqual({
      type: "chest",
      properties: { facing: "east" },
    });
    expect(world.blocks.byName("chest")).toMatchObject({
      ...{ colour: 0x8b5a2b, light: 3, tags: ["container"] },
      properties: [{ name: "facing", values: ["north", "east"] }],
    });
  });

  test("[IM89] uses a type of the same name whatever it looks like, and one that has more properties", async () => {
    const world = await stoneWorld();
    const { door } = await world.defineBlocks({
      door: { colour: 1, properties: { open: ["no", "yes"], hinge: ["left", "right"] } },
    });
    const source = await sourceWith("door", { colour: 2, properties: { open: ["yes"] } });
    expect(await pasteWorld(world, source, { at: AT })).toMatchObject({ defined: [], renamed: [] });
    expect(await world.get(AT)).toBe(door.id({ open: "yes", hinge: "left" }));
  });

  test("[IM89] gives a block whose value the type lacks a type with a number, and uses that again", async () => {
    const world = await stoneWorld();
    await world.defineBlocks({ chest: { properties: { facing: ["north"] } } });
    const east = await sourceWith("chest", { properties: { facing: ["east", "south"] } }, { facing: "east" });
    const first = await pasteWorld(world, east, { at: AT });
    expect(first).toMatchObject({
      defined: ["chest (2)"],
      renamed: [{ name: "chest", as: "chest (2)" }],
    });
    expect(world.blocks.describe(await world.get(AT))?.type).toBe("chest (2)");
    const second = await pasteWorld(world, east, { at: [0, 0, 0] });
    expect(second).toMatchObject({ defined: [], renamed: [{ name: "chest", as: "chest (2)" }] });
    const west = await sourceWith("chest", { properties: { facing: ["west"] } });
    expect(await pasteWorld(world, west, { at: AT })).toMatchObject({ defined: ["chest (3)"] });
    const north = await sourceWith("chest", { properties: { facing: ["north"] } });
    expect(await pasteWorld(world, north, { at: AT })).toMatchObject({ defined: [], renamed: [] });
    const bare = await sourceWith("chest", { properties: { open: ["yes"] } });
    expect(await pasteWorld(world, bare, { at: AT })).toMatchObject({ defined: ["chest (4)"] });
  });

  test("[IM89] gives a type of Minecraft all values of common properties, which the next file can use", async () => {
    const world = await stoneWorld();
    const name = "minecraft:oak_stairs";
    const first = await sourceWith(name, {
      properties: { facing: ["west"], half: ["top"], odd: ["3"], waterlogged: ["false"] },
    });
    expect((await pasteWorld(world, first, { at: AT })).defined).toEqual([name]);
    expect(world.blocks.byName(name)?.properties).toEqual([
      { name: "facing", values: ["west", "north", "east", "south"] },
      { name: "half", values: ["top", "bottom"] },
      { name: "odd", values: ["3"] },
      { name: "waterlogged", values: ["false", "true"] },
    ]);
    const second = await sourceWith(name, { properties: { facing: ["east"], waterlogged: ["true"] } });
    expect(await pasteWorld(world, second, { at: AT })).toMatchObject({ defined: [], renamed: [] });
    expect(world.blocks.describe(await world.get(AT))?.properties).toEqual({
      ...{ facing: "east", half: "top", odd: "3", waterlogged: "true" },
    });
  });

  test("[IM89] gives types of Minecraft only the values that occur once half of all ids are used", async () => {
    const world = await stoneWorld();
    const values = Array.from({ length: 256 }, (_, index) => `v${index}`);
    await world.defineBlocks({ large: { properties: { a: values, b: values.slice(0, 128) } } });
    const source = await sourceWith("minecraft:chest", { properties: { facing: ["west"] } });
    await pasteWorld(world, source, { at: AT });
    expect(world.blocks.byName("minecraft:chest")?.properties).toEqual([
      { name: "facing", values: ["west"] },
    ]);
  });

  test("[IM89] cuts a long name, so that its number fits", async () => {
    const name = "n".repeat(64);
    const world = await stoneWorld();
    await world.defineBlocks({ [name]: {} });
    const source = await sourceWith(name, { properties: { facing: ["east"] } });
    expect((await pasteWorld(world, source, { at: AT })).defined).toEqual([`${"n".repeat(60)} (2)`]);
  });

  test("[IM90] counts entities and blocks without a type as left out", async () => {
    const source = await sourceOf(async (world) => {
      await world.set([0, 0, 0], 11);
      await world.set([1, 0, 0], 40_000);
      world.spawnEntity({ kind: 1, position: [0.5, 0, 0.5] });
      world.spawnEntity({ kind: 1, position: [900, 0, 0.5] });
    });
    const report = await pasteWorld(await stoneWorld(), source, { at: AT });
    expect(report.voxels).toBe(1);
    expect(report.losses).toEqual([
      { what: "blocks without a type", count: 1, remark: "the first has the number 40000" },
      { what: "entities", count: 1, remark: "only voxels are pasted" },
    ]);
  });

  test("[IM90] leaves out data that the codec of the source cannot read, and keeps the block", async () => {
    const source = await sourceOf((world) =>
      world.engine.edit([{ voxel: [2, 0, 0, 0], block: 11, data: Uint8Array.of(0xff, 0, 1) }]),
    );
    const world = await stoneWorld();
    const report = await pasteWorld(world, source, { at: AT });
    expect(report).toMatchObject({
      ...{ voxels: 1, data: 0 },
      losses: [{ what: "data of voxels", count: 1, remark: "it cannot be read; the first is at [2, 0, 0]" }],
    });
    expect(await world.get(AT)).toBe(11);
    const dataCodec = { encode: () => new Uint8Array(), decode: (bytes: Uint8Array) => bytes.length };
    await pasteWorld(world, source, { at: AT, dataCodec });
    expect(await world.data(AT)).toBe(3);
  });

  test("[IM90] leaves out data above the limit of a chunk of the target, and keeps the blocks", async () => {
    // Two chunks of the source are one of the target, which may hold 262,144 bytes.
    const source = await sourceOf(async (world) => {
      for (let x = 0; x < 14; x++) await world.set([x + 9, 0, 0], 11, { data: new Uint8Array(30_000) });
    });
    const world = await stoneWorld();
    const report = await pasteWorld(world, source, { at: [0, 0, 0] });
    expect(report).toMatchObject({ voxels: 14, data: 0, losses: [{ what: "data of voxels", count: 14 }] });
    expect(await world.get([13, 0, 0])).toBe(11);
    expect(await world.data([13, 0, 0])).toBeUndefined();
  });

  test("[IM91] a dry run counts the same and changes nothing", async () => {
    const source = await sourceWith("lantern", { colour: 5 });
    const world = await stoneWorld();
    const would = await pasteWorld(world, source, { at: AT, dryRun: true });
    expect(await world.get(AT)).toBe(STONE);
    expect(world.blocks.byName("lantern")).toBeUndefined();
    expect(await pasteWorld(world, source, { at: AT })).toEqual(would);
  });

  test("[IM91] edits have at most 16,384 voxels, and the next one waits for onEdit", async () => {
    const source = await sourceOf((world) => world.fill(box([0, 0, 0], [40, 40, 40]), 11));
    const world = await stoneWorld();
    const sizes: number[] = [];
    world.onEdit(({ count }) => sizes.push(count));
    let edits = 0;
    await pasteWorld(world, source, {
      at: AT,
      onEdit: async () => {
        await world.save();
        expect(sizes.length).toBe(++edits);
      },
    });
    expect(sizes.reduce((sum, size) => sum + size)).toBe(64_000);
    expect(sizes).toEqual([16_384, 16_384, 16_384, 14_848]);
  });

  test("[IM91] refuses what cannot be pasted before it changes anything", async () => {
    const world = await stoneWorld();
    const source = await sourceOf((edited) => edited.set([0, 0, 0], 11));
    const paste = (options: object, from: unknown = source, to: unknown = world): Promise<string> =>
      codeOfRejection(
        pasteWorld(
          to as World<3>,
          from as Save,
          { at: AT, ...options } as Parameters<typeof pasteWorld<3>>[2],
        ),
      );
    expect(await paste({ at: undefined })).toBe("ORT_ARGUMENT");
    expect(await paste({ at: [1, 2] })).toBe("ORT_ARGUMENT");
    expect(await paste({ where: AT })).toBe("ORT_ARGUMENT");
    expect(await paste({ air: "yes" })).toBe("ORT_ARGUMENT");
    expect(await paste({}, {})).toBe("ORT_ARGUMENT");
    expect(await paste({}, source, {})).toBe("ORT_ARGUMENT");
    expect(await paste({}, await sourceOf(async () => undefined))).toBe("ORT_ARGUMENT");
    const tiles = await createWorld(new MemoryDisk(), { dimensions: 2 });
    expect(await paste({ at: [0, 0] }, source, tiles)).toBe("ORT_ARGUMENT");
    expect(await paste({ air: true, box: box([0, 0, 0], [1_000_000, 16, 16_000]) })).toBe("ORT_LIMIT");
    const hills = await sourceOf((edited) => edited.set([0, 0, 0], 11), terrain({ seed: 1n }));
    expect(await paste({ box: box([0, 0, 0], [1_000_000, 16, 16_000]) }, hills)).toBe("ORT_LIMIT");
    expect(await world.get(AT)).toBe(STONE);
  });
});

describe("importToMemory", () => {
  test("[IM91] refuses a file of no known format", async () => {
    const disk = new MemoryDisk();
    expect(await codeOfRejection(importToMemory(disk, "house.schem"))).toBe("ORT_NOT_FOUND");
    expect(await codeOfRejection(importToMemory(disk))).toBe("ORT_NOT_FOUND");
  });
});
