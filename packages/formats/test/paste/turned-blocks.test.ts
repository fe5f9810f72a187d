import { AIR, box, type Position } from "@orthant/core";
import { MemoryDisk } from "@orthant/disk";
import { pasteWorld } from "@orthant/formats/imports";
import { openSave, type Save } from "@orthant/save";
import { createWorld, type World } from "@orthant/world";
import { describe, expect, test } from "vitest";

const SIDES = ["north", "east", "south", "west"] as const;
const FLAGS = ["false", "true"] as const;
const AT: Position<3> = [10, 0, 10];

function emptyWorld(): Promise<World<3>> {
  return createWorld(new MemoryDisk(), { dimensions: 3 });
}

async function sourceOf(build: (world: World<3>) => Promise<unknown>): Promise<Save> {
  const disk = new MemoryDisk();
  const world = await createWorld(disk, { dimensions: 3 });
  await build(world);
  await world.close();
  return openSave(disk);
}

/** Pastes one block with properties, and returns those that it has in the world. */
async function turned(
  properties: Readonly<Record<string, readonly string[]>>,
  values: Readonly<Record<string, string>>,
  rotate: 0 | 90 | 180 | 270,
): Promise<unknown> {
  const source = await sourceOf(async (world) => {
    const { thing } = await world.defineBlocks({ thing: { properties } });
    await world.set([0, 0, 0], thing.id(values));
  });
  const world = await emptyWorld();
  await pasteWorld(world, source, { at: AT, rotate });
  return world.blocks.describe(await world.get(AT))?.properties;
}

describe("pasteWorld with rotate", () => {
  // A row to the east of three blocks, with one to the south of the first, and one above it.
  test.each<[rotate: 0 | 90 | 180 | 270, size: Position<3>, ids: Readonly<Record<number, Position<3>>>]>([
    [0, [3, 2, 2], { 1: [10, 0, 10], 2: [11, 0, 10], 3: [12, 0, 10], 4: [10, 0, 11], 6: [10, 1, 10] }],
    [90, [2, 2, 3], { 1: [11, 0, 10], 2: [11, 0, 11], 3: [11, 0, 12], 4: [10, 0, 10], 6: [11, 1, 10] }],
    [180, [3, 2, 2], { 1: [12, 0, 11], 2: [11, 0, 11], 3: [10, 0, 11], 4: [12, 0, 10], 6: [12, 1, 11] }],
    [270, [2, 2, 3], { 1: [10, 0, 12], 2: [10, 0, 11], 3: [10, 0, 10], 4: [11, 0, 12], 6: [10, 1, 12] }],
  ])("[IM88] turns voxels by %i degrees clockwise, seen from above", async (rotate, size, ids) => {
    const source = await sourceOf((world) =>
      world.edit([
        { position: [0, 0, 0], block: 1, data: "first" },
        { position: [1, 0, 0], block: 2 },
        { position: [2, 0, 0], block: 3 },
        { position: [0, 0, 1], block: 4 },
        { position: [0, 1, 0], block: 6 },
      ]),
    );
    const world = await emptyWorld();
    expect(await pasteWorld(world, source, { at: AT, rotate })).toMatchObject({ voxels: 5, at: AT });
    const found: Record<number, Position<3>> = {};
    for (let x = 0; x < 20; x++)
      for (let y = -2; y < 4; y++)
        for (let z = 0; z < 20; z++) {
          const block = await world.get([x, y, z]);
          if (block !== AIR) found[block] = [x, y, z];
        }
    expect(found).toEqual(ids);
    expect(await world.data(ids[1] as Position<3>)).toBe("first");
    expect(Math.max(...Object.values(ids).map(([x]) => x - 9))).toBe(size[0]);
    expect(Math.max(...Object.values(ids).map(([, , z]) => z - 9))).toBe(size[2]);
  });

  test.each([
    [90, "north", "east"],
    [90, "west", "north"],
    [180, "east", "west"],
    [270, "north", "west"],
    [90, "up", "up"],
  ] as const)(
    "[IM88] turns by %i degrees what faces %s, so that it faces %s",
    async (rotate, facing, after) => {
      expect(await turned({ facing: [...SIDES, "up"] }, { facing }, rotate)).toEqual({ facing: after });
    },
  );

  test("[IM88] turns axes, sixteenths of a circle and what blocks have on each side", async () => {
    const axis = ["x", "y", "z"];
    expect(await turned({ axis }, { axis: "x" }, 90)).toEqual({ axis: "z" });
    expect(await turned({ axis }, { axis: "y" }, 270)).toEqual({ axis: "y" });
    expect(await turned({ axis }, { axis: "x" }, 180)).toEqual({ axis: "x" });
    const rotation = Array.from({ length: 16 }, (_, index) => String(index));
    expect(await turned({ rotation }, { rotation: "14" }, 90)).toEqual({ rotation: "2" });
    const fence = { north: FLAGS, east: FLAGS, south: FLAGS, west: FLAGS };
    expect(await turned(fence, { north: "true", west: "true" }, 90)).toEqual({
      ...{ north: "true", east: "true", south: "false", west: "false" },
    });
    const half = { half: ["bottom", "top"], north: FLAGS };
    expect(await turned(half, { half: "top", north: "true" }, 90)).toEqual({ half: "top", north: "true" });
  });

  test("[IM89] gives a new type the values that its blocks have when they are turned", async () => {
    expect(await turned({ facing: ["north"] }, {}, 90)).toEqual({ facing: "east" });
    const uneven = { north: ["none", "tall"], east: ["none"], south: ["none"], west: ["none"] };
    expect(await turned(uneven, { north: "tall" }, 180)).toEqual({
      ...{ north: "none", east: "none", south: "tall", west: "none" },
    });
  });

  test("[IM88] is refused for other turns, and in worlds without a vertical axis", async () => {
    const source = await sourceOf((world) => world.fill(box([0, 0, 0], [40, 1, 1]), 1));
    const world = await emptyWorld();
    await expect(pasteWorld(world, source, { at: AT, rotate: 45 as never })).rejects.toThrow(
      "rotate is 45 (a number); it is 0, 90, 180 or 270 degrees",
    );
    const disk = new MemoryDisk();
    const flatland = await createWorld(disk, { dimensions: 2 });
    await flatland.set([0, 0], 1);
    await flatland.save();
    await expect(
      pasteWorld(await createWorld(new MemoryDisk(), { dimensions: 2 }), await openSave(disk), {
        at: [0, 0],
        rotate: 90,
      }),
    ).rejects.toThrow("rotate is 90 (a number); a world of 2 dimensions has no vertical axis to turn about");
  });
});
