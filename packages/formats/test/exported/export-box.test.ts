import { box, type Position, terrain } from "@orthant/core";
import { MemoryDisk } from "@orthant/disk";
import { exportBox } from "@orthant/formats/exports";
import { importToMemory } from "@orthant/formats/imports";
import { openSchematic } from "@orthant/formats/readers";
import { codeOfRejection } from "@orthant/testkit";
import { createWorld, openWorld, type World } from "@orthant/world";
import { describe, expect, test } from "vitest";

const CHEST = { id: "minecraft:chest", Items: [{ Slot: 3, Count: 64 }] };

/** A world with a floor of stone at y = 5, a chest with data on it, and an entity. */
async function worldWithChest(): Promise<World<3>> {
  const world = await createWorld(new MemoryDisk(), { dimensions: 3 });
  const blocks = await world.defineBlocks({
    "minecraft:stone": {},
    "minecraft:chest": { properties: { facing: ["north", "east"] } },
  });
  await world.fill(box([-3, 5, 20], [14, 6, 23]), blocks["minecraft:stone"].id());
  await world.set([2, 6, 21], blocks["minecraft:chest"].id({ facing: "east" }), { data: CHEST });
  await world.spawnEntity({ kind: 1, position: [0, 6, 21] });
  return world;
}

describe("exportBox", () => {
  test("[EX1] [EX2] [EX3] returns a schematic with the blocks, properties and data of an open world", async () => {
    const world = await worldWithChest();
    const { bytes, losses } = await exportBox(world, box([-4, 5, 20], [14, 7, 23]), "house.schem");
    expect(losses).toEqual([{ what: "entities", count: 1, remark: "only voxels are written" }]);
    const { parts, origin, findings } = await openSchematic(bytes, "house.schem");
    expect([origin, findings]).toEqual([[-4, 5, 20], []]);
    const [part] = parts;
    expect(part?.size).toEqual([18, 2, 3]);
    const stateAt = ([x, y, z]: Position<3>) =>
      part?.palette[part.indices?.[x + 4 + (z - 20 + (y - 5) * 3) * 18] ?? -1];
    expect([stateAt([-4, 5, 20]), stateAt([-3, 5, 20]), stateAt([2, 6, 21])]).toEqual([
      "minecraft:air",
      "minecraft:stone",
      "minecraft:chest[facing=east]",
    ]);
    expect(part?.blockData.map(({ id }) => id)).toEqual(["minecraft:chest"]);
    await world.close();
  });

  test.each(["hills.schem", "hills.vox", "map.sqlite", "r.-1.0.mca"])(
    "writes voxels of the generator into %s, which importToMemory reads again",
    async (file) => {
      const world = await createWorld(new MemoryDisk(), { dimensions: 3, generator: terrain({ seed: 7n }) });
      const { bytes } = await exportBox(world, box([-32, 0, 0], [0, 80, 32]), file);
      await world.close();
      const disk = new MemoryDisk({ directories: [], files: new Map([[file, bytes]]) });
      const { save } = await importToMemory(disk, file);
      expect(save.index.totals.leaves).toBeGreaterThan(0);
      await save.close();
    },
  );

  test("[EX7] writes glTF", async () => {
    const world = await worldWithChest();
    const { bytes } = await exportBox(world, box([-4, 5, 20], [14, 7, 23]), "House.GLB");
    expect(String.fromCharCode(...bytes.subarray(0, 4))).toBe("glTF");
    await world.close();
  });

  test("exports one place on the fourth axis of a world of four dimensions, and a world of two", async () => {
    const flat = await createWorld(new MemoryDisk(), { dimensions: 2 });
    await flat.fill(box([0, 0], [3, 2]), 1);
    const deep = await createWorld(new MemoryDisk(), { dimensions: 4 });
    await deep.fill(box([0, 0, 0, 5], [3, 2, 1, 6]), 1);
    const [a, b] = [
      await exportBox(flat, box([0, 0], [4, 3]), "a.vox"),
      await exportBox(deep, box([0, 0, 0, 5], [4, 3, 1, 6]), "a.vox"),
    ];
    expect(b).toEqual(a);
    const several = exportBox(deep, box([0, 0, 0, 5], [4, 3, 1, 7]), "a.vox");
    expect(await codeOfRejection(several)).toBe("ORT_ARGUMENT");
    await Promise.all([flat.close(), deep.close()]);
  });

  test("reads data with the codec of the world, and lists what it cannot read", async () => {
    const disk = new MemoryDisk();
    const world = await createWorld(disk, { dimensions: 3 });
    await world.set([0, 0, 0], 1, { data: Uint8Array.of(7) });
    await world.close();
    const dataCodec = {
      encode: () => new Uint8Array(0),
      decode: () => {
        throw new Error("not mine");
      },
    };
    const opened = await openWorld(disk, { dataCodec });
    const { losses } = await exportBox(opened, box([0, 0, 0], [1, 1, 1]), "a.schem");
    expect(losses).toContainEqual({
      what: "data of voxels",
      count: 1,
      remark: "that of [0, 0, 0] is not an object",
    });
    await opened.close();
  });

  test("refuses names of other formats, boxes outside of a region, and too many voxels", async () => {
    const world = await worldWithChest();
    const small = box([0, 0, 0], [1, 1, 1]);
    for (const [region, file] of [
      [small, "a.obj"],
      [small, "r.5.5.mca"],
      [box([0, 0, 0], [4_000, 4_000, 4_000]), "a.vox"],
    ] as const) {
      expect(await codeOfRejection(exportBox(world, region, file))).toBe("ORT_ARGUMENT");
    }
    await world.close();
  });
});
