import { AIR, BlockCatalog, DEFAULT_BLOCKS, defineGenerator, terrain } from "@orthant/core";
import { MemoryDisk } from "@orthant/disk";
import { createWorld, openOrCreateWorld, openWorld } from "@orthant/world";
import { describe, expect, test } from "vitest";

const COLOURS = { rock: { colour: 0x77746f }, turf: { colour: 0x5c8f3a } };
const LOG = { properties: { axis: ["x", "y", "z"] } } as const;

/** Rock up to -1, turf at 0, and logs along x at 1. */
const hills = defineGenerator({
  id: "test:hills",
  version: 1,
  dimensions: 3,
  blocks: { ...COLOURS, log: LOG },
  open({ blocks: { rock, turf, log } }) {
    const lying = log.id({ axis: "x" });
    return (_x, y) => (y < 0 ? rock : y === 0 ? turf : y === 1 ? lying : AIR);
  },
});

async function columnOf(world: Awaited<ReturnType<typeof createWorld<3>>>): Promise<unknown> {
  const ids = await Promise.all([-1, 0, 1, 2].map((y) => world.get([5, y, 5])));
  return ids.map((id) => world.blocks.describe(id));
}

const COLUMN = [
  { type: "rock", properties: {} },
  { type: "turf", properties: {} },
  { type: "log", properties: { axis: "x" } },
  { type: "air", properties: {} },
];

describe("a generator with blocks of its own", () => {
  test("brings them into a new world, and no others", async () => {
    const world = await createWorld(new MemoryDisk(), { dimensions: 3, generator: hills({ seed: 7n }) });
    expect(world.blocks.types.map(({ name }) => name)).toEqual(["air", "rock", "turf", "log"]);
    expect(await columnOf(world)).toEqual(COLUMN);
    await world.close();
  });

  test("makes them with the ids that they have in the world's own catalog", async () => {
    const disk = new MemoryDisk();
    const blocks = new BlockCatalog([
      ...DEFAULT_BLOCKS.types.filter(({ id }) => id === AIR),
      { id: 9, name: "turf", colour: 0x5c8f3a, solid: true },
    ]);
    const world = await createWorld(disk, { dimensions: 3, generator: hills({ seed: 7n }), blocks });
    expect(world.blocks.id("turf")).toBe(9);
    expect(await columnOf(world)).toEqual(COLUMN);
    await world.close();
    const again = await openWorld(disk, { dimensions: 3, generators: [hills] });
    expect(await columnOf(again)).toEqual(COLUMN);
    await again.close();
  });

  test("is refused where one of its blocks is something else", async () => {
    const world = {
      dimensions: 3,
      generator: hills({ seed: 7n }),
      blocks: { rock: { colour: 0xff0000 } },
    } as const;
    await expect(createWorld(new MemoryDisk(), world)).rejects.toThrow(/rock.*colour.*0x77746f.*0xff0000/s);
  });

  test("brings them into a world whose generator it becomes", async () => {
    const world = await createWorld(new MemoryDisk(), { dimensions: 3, generator: terrain({ seed: 7n }) });
    await world.changeGenerator(hills({ seed: 7n }));
    expect(world.blocks.id("rock")).toBeGreaterThan(DEFAULT_BLOCKS.endId - 1);
    expect(await columnOf(world)).toEqual(COLUMN);
    await world.changeGenerator(hills({ seed: 7n }));
    await world.close();
  });

  test("has ids for previews before any world has it", () => {
    const { ref, generator } = hills({ seed: 7n });
    expect(generator.blocks).toEqual({ ...COLOURS, log: LOG });
    expect(ref.generatorId).toBe("test:hills");
  });
});

describe("blocks of a game that grows", () => {
  const first = {
    dimensions: 3,
    generator: hills({ seed: 7n }),
    blocks: { planks: { colour: 0xb08551 } },
  } as const;

  test("come into a world that was made before them", async () => {
    const disk = new MemoryDisk();
    const world = await openOrCreateWorld(disk, first);
    const planks = world.blocks.id("planks");
    await world.set([0, 5, 0], planks);
    await world.close();

    const grown = { ...first, blocks: { ...first.blocks, lamp: { light: 15 } } };
    const again = await openOrCreateWorld(disk, grown);
    expect(again.blocks.id("planks")).toBe(planks);
    expect(again.blocks.lightOf(again.blocks.id("lamp"))).toBe(15);
    await again.close();
  });

  test("are refused with both meanings when one of them changed, and the world can be opened again", async () => {
    const disk = new MemoryDisk();
    await (await openOrCreateWorld(disk, first)).close();
    const changed = { ...first, blocks: { planks: { colour: 0x123456 } } };
    await expect(openOrCreateWorld(disk, changed)).rejects.toThrow(/planks.*0xb08551.*0x123456/s);
    await (await openOrCreateWorld(disk, first)).close();
  });

  test("are refused when a catalog has other ids than the world", async () => {
    const disk = new MemoryDisk();
    await (await openOrCreateWorld(disk, first)).close();
    const types = DEFAULT_BLOCKS.types.filter(({ id }) => id === AIR);
    const blocks = new BlockCatalog([...types, { id: 77, name: "planks", colour: 0xb08551, solid: true }]);
    await expect(openOrCreateWorld(disk, { ...first, blocks })).rejects.toThrow(
      /the block "planks" has the id \d+ in this world and 77 in the program/,
    );
  });

  test("are added when a catalog has more at its end", async () => {
    const disk = new MemoryDisk();
    const world = await openOrCreateWorld(disk, { dimensions: 3, blocks: DEFAULT_BLOCKS });
    const { endId } = world.blocks;
    await world.close();
    const blocks = new BlockCatalog([
      ...DEFAULT_BLOCKS.types,
      { id: endId, name: "test:moss", colour: 0x225522, solid: true },
    ]);
    const again = await openOrCreateWorld(disk, { dimensions: 3, blocks });
    expect(again.blocks.id("test:moss")).toBe(endId);
    await again.close();
  });
});
