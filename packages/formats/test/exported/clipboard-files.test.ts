import { box } from "@orthant/core";
import { MemoryDisk } from "@orthant/disk";
import { exportClipboard } from "@orthant/formats/exports";
import { importClipboard } from "@orthant/formats/imports";
import { codeOfRejection } from "@orthant/testkit";
import { createWorld, type World } from "@orthant/world";
import { describe, expect, test } from "vitest";

const SITE = box([-2, 60, 5], [4, 64, 9]);

/** A world with a small house: a shell of planks, stairs, and a chest with data. */
async function worldWithHouse(): Promise<World<3>> {
  const world = await createWorld(new MemoryDisk(), { dimensions: 3 });
  await world.defineBlocks({
    "minecraft:oak_planks": { colour: 0xb08551 },
    "minecraft:oak_stairs": { properties: { facing: ["north", "east", "south", "west"] } },
    "minecraft:chest": {},
  });
  await world.apply("outline minecraft:oak_planks", { in: SITE });
  await world.set([0, 61, 6], world.blocks.id("minecraft:oak_stairs", { facing: "east" }));
  await world.set([1, 61, 6], world.blocks.id("minecraft:chest"), { data: { Items: [3, 4], Lock: "no" } });
  return world;
}

async function blocksIn(world: World<3>, at: readonly [number, number, number]) {
  const found: unknown[] = [];
  for (let x = 0; x < 6; x++)
    for (let y = 0; y < 4; y++)
      for (let z = 0; z < 4; z++) {
        const voxel = [at[0] + x, at[1] + y, at[2] + z] as const;
        found.push(world.blocks.describe((await world.get(voxel)) as number), await world.data(voxel));
      }
  return found;
}

describe("a clipboard as a file", () => {
  test.each(["house.clip", "House.SCHEM"])(
    "%s has the blocks, properties and data of a house, and another world gets them",
    async (file) => {
      const world = await worldWithHouse();
      const { bytes, losses } = await exportClipboard(await world.clipboard(SITE), file);
      expect(losses).toEqual([]);
      const imported = await importClipboard(bytes, file);
      expect([imported.losses, imported.clipboard.size]).toEqual([[], [6, 4, 4]]);
      const other = await createWorld(new MemoryDisk(), { dimensions: 3 });
      const missing = imported.clipboard.missingIn(other.blocks);
      expect(Object.keys(missing).sort()).toEqual([
        "minecraft:chest",
        "minecraft:oak_planks",
        "minecraft:oak_stairs",
      ]);
      const paste = { paste: imported.clipboard, at: [20, 0, 20] } as const;
      await expect(other.apply(paste)).rejects.toThrow("this world has no such block");
      await other.defineBlocks(missing);
      await other.apply(paste);
      expect(await blocksIn(other, [20, 0, 20])).toEqual(await blocksIn(world, [-2, 60, 5]));
      await world.close();
      await other.close();
    },
  );

  test("a schematic that is turned has stairs that face elsewhere", async () => {
    const world = await worldWithHouse();
    const { bytes } = await exportClipboard(await world.clipboard(SITE), "house.schem");
    const { clipboard } = await importClipboard(bytes, "house.schem");
    const other = await createWorld(new MemoryDisk(), { dimensions: 3 });
    await other.defineBlocks(clipboard.missingIn(other.blocks));
    await other.apply({ paste: clipboard.rotate("xz", 1), at: [0, 0, 0] });
    const stairs = other.blocks.id("minecraft:oak_stairs", { facing: "south" });
    expect(await other.countBlocks(box([0, 0, 0], [4, 4, 6]), "minecraft:oak_stairs")).toEqual(
      new Map([[stairs, 1]]),
    );
    await world.close();
    await other.close();
  });

  test("lists what a schematic cannot hold, and our own file loses nothing", async () => {
    const world = await createWorld(new MemoryDisk(), { dimensions: 3 });
    await world.apply("set stone", { in: SITE });
    await world.set([0, 60, 5], world.blocks.id("stone"), { data: [1, 2] });
    const round = await world.clipboard({ sphere: [0, 62, 6], radius: 1 });
    const { losses } = await exportClipboard(round, "ball.schem", { names: { stone: "minecraft:stone" } });
    expect(losses).toContainEqual({
      what: "voxels of the box that were not selected",
      count: 8,
      remark: "they become air",
    });
    const corner = await world.clipboard(box([0, 60, 5], [1, 61, 6]));
    const { losses: lost } = await exportClipboard(corner, "corner.schem");
    expect(lost.map(({ what }) => what)).toEqual(["names of blocks", "data of voxels"]);
    const { clipboard } = await importClipboard((await exportClipboard(corner, "corner.clip")).bytes, "c");
    await world.apply({ paste: clipboard, at: [0, 0, 0] });
    expect(await world.data([0, 0, 0])).toEqual([1, 2]);
    await world.close();
  });

  test("a clipboard of two or four dimensions has our own file", async () => {
    for (const dimensions of [2, 4] as const) {
      const world = await createWorld(new MemoryDisk(), { dimensions });
      const [min, max] = [new Array(dimensions).fill(0), new Array(dimensions).fill(3)];
      await world.apply({ set: "stone", in: { unit: "voxels", min, max } as never });
      const cube = await world.clipboard({ unit: "voxels", min, max } as never);
      const { clipboard } = await importClipboard((await exportClipboard(cube, "cube.clip")).bytes, "cube");
      expect(await world.apply({ paste: clipboard, at: max as never } as never)).toMatchObject({
        count: 3 ** dimensions,
      });
      await world.close();
    }
    const world = await createWorld(new MemoryDisk(), { dimensions: 4 });
    const cube = await world.clipboard(box([0, 0, 0, 0], [2, 2, 2, 2]));
    expect(await codeOfRejection(exportClipboard(cube, "cube.schem"))).toBe("ORT_ARGUMENT");
    await world.close();
  });

  test("a file with another ending, or with other bytes, is refused", async () => {
    const world = await worldWithHouse();
    const house = await world.clipboard(SITE);
    await expect(exportClipboard(house, "house.txt")).rejects.toThrow(
      ".schem, .vox, .glb, map.sqlite, or .clip",
    );
    await expect(importClipboard(new TextEncoder().encode("house"), "house.clip")).rejects.toThrow();
    await world.close();
  });
});
