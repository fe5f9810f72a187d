import { type BlockDefinitions, chunkBox, DEFAULT_BLOCKS } from "@orthant/core";
import { MemoryDisk } from "@orthant/disk";
import { catalogOf } from "@orthant/save";
import { codeOfRejection, FakeTime } from "@orthant/testkit";
import { createWorld, openWorld } from "@orthant/world";
import {
  createWorldEngine,
  openSaveWithJournal,
  openWorldEngine,
  type WorldEngine,
} from "@orthant/world/engine";
import { describe, expect, test } from "vitest";

const DURABILITIES = ["snapshot", "journal"] as const;
const FACING = ["north", "east", "south", "west"] as const;
const FIRST: BlockDefinitions = { copper: { colour: 0xb8_73_33 } };
const SECOND: BlockDefinitions = { ...FIRST, chest: { properties: { facing: FACING } } };

function optionsOf(durability: (typeof DURABILITIES)[number]) {
  return { time: new FakeTime(), autosave: false, durability };
}

function namesOf({ catalog }: WorldEngine): readonly string[] {
  return catalog.types.slice(DEFAULT_BLOCKS.types.length).map(({ name }) => name);
}

describe.each(DURABILITIES)("blocks of a world with durability %s", (durability) => {
  const options = optionsOf(durability);

  test("are defined while it is open, have ids at once, and are there after it is opened again", async () => {
    const disk = new MemoryDisk();
    const world = await createWorld(disk, { dimensions: 3 }, options);
    const seen: number[] = [];
    const stop = world.onBlocks((blocks) => seen.push(blocks.types.length));
    const { copper, chest } = await world.defineBlocks({
      copper: { colour: 0xb8_73_33 },
      chest: { properties: { facing: FACING } },
    });
    // @ts-expect-error: the compiler knows the values of a property.
    expect(() => chest.id({ facing: "up" })).toThrow(/ORT_ARGUMENT/);
    await world.set([0, 0, 0], copper.id());
    await world.set([1, 0, 0], chest.id({ facing: "east" }));
    await world.renameBlock("copper", "game:copper");
    await world.retireBlock("chest");
    await world.retireBlock("chest");
    expect(seen).toEqual([18, 18, 18]);
    stop();
    await world.close();

    const again = await openWorld(disk, options);
    expect(again.blocks.describe(await again.get([1, 0, 0]))).toEqual({
      type: "chest",
      properties: { facing: "east" },
    });
    expect([again.blocks.byName("chest")?.retired, again.blocks.id("game:copper")]).toEqual([true, 16]);
    await again.renameBlock("copper", "game:copper");
    const generation = await again.save();
    const handles = await again.defineBlocks({ "game:copper": { colour: 0xb8_73_33 } });
    expect(handles["game:copper"].id()).toBe(16);
    expect(await again.save(), "a definition of what is there changes nothing").toBe(generation);
    await again.close();
  });

  test("change while it is open, are changed after it is opened again, and as they were in its history", async () => {
    const disk = new MemoryDisk();
    const world = await createWorld(disk, { dimensions: 3 }, options);
    const definitions = { copper: { colour: 0xb8_73_33 } };
    const { copper } = await world.defineBlocks(definitions);
    await world.set([0, 0, 0], copper.id());
    const before = await world.history.tag("before");
    const seen: (number | undefined)[] = [];
    world.onBlocks((blocks) => seen.push(blocks.byName("copper")?.light));
    await world.changeBlock("copper", { colour: 0x6f_a2_87, light: 3, opacity: 4, tags: ["old"] });
    await world.changeBlock("copper", { light: 3 });
    await world.set([1, 0, 0], copper.id());
    expect(seen, "a change to what is there is none").toEqual([3]);
    await expect(world.defineBlocks(definitions)).rejects.toThrow(/change it with changeBlock/);
    const changed = world.blocks.byName("copper");
    await world.close();

    const again = await openWorld(disk, options);
    expect(again.blocks.byName("copper")).toEqual(changed);
    expect(changed).toMatchObject({ id: 16, colour: 0x6f_a2_87, light: 3, opacity: 4, tags: ["old"] });
    const past = await openWorld(disk, { readOnly: true, at: before });
    expect(past.blocks.byName("copper")).toMatchObject({ light: 0, opacity: 15, colour: 0xb8_73_33 });
    await past.close();
    await again.restoreChunks(chunkBox([0, 0, 0], [1, 1, 1]), "before");
    expect([await again.get([0, 0, 0]), await again.get([1, 0, 0])]).toEqual([16, 0]);
    expect(again.blocks.byName("copper"), "restoring chunks leaves the catalog").toEqual(changed);
    await again.defineBlocks(definitions, { change: true });
    expect(again.blocks.byName("copper")).toEqual({ ...changed, colour: 0xb8_73_33 });
    await again.close();
  });

  test("have shapes, which change, are there after it is opened again and as they were in its history", async () => {
    const disk = new MemoryDisk();
    const world = await createWorld(disk, { dimensions: 3 }, options);
    const low = [
      [0, 0, 0],
      [1, 0.5, 1],
    ] as const;
    const { slab } = await world.defineBlocks({
      slab: {
        properties: { half: ["bottom", "whole"] },
        shape: [{ when: { half: "bottom" }, boxes: [low] }],
      },
    });
    const boxes = [
      [
        [0, 0, 0, 0],
        [1, 0.5, 1, 1],
      ],
    ];
    expect([slab.id(), slab.id({ half: "whole" })].map((id) => world.blocks.boxesOf(id))).toEqual([
      boxes,
      undefined,
    ]);
    await world.set([0, 0, 0], slab.id());
    const before = await world.history.tag("before");
    await world.changeBlock("slab", { shape: [low] });
    await world.close();

    const again = await openWorld(disk, options);
    expect([16, 17].map((id) => again.blocks.boxesOf(id))).toEqual([boxes, boxes]);
    await again.close();
    const past = await openWorld(disk, { readOnly: true, at: before });
    expect([16, 17].map((id) => past.blocks.boxesOf(id))).toEqual([boxes, undefined]);
    await past.close();
  });

  test("are refused as a whole when one of them contradicts a type, and by a world that takes no changes", async () => {
    const disk = new MemoryDisk();
    const world = await createWorldEngine(disk, {}, options);
    await world.blocks.define(FIRST);
    const wrong = world.blocks.define({ tin: {}, copper: { colour: 1 } });
    await expect(wrong).rejects.toThrow(/its colour is 0xb87333 in this world and 0x000001/);
    const half = world.blocks.define(
      { copper: { colour: 1 }, stone: { properties: {}, light: 99 } },
      { change: true },
    );
    expect(await codeOfRejection(half)).toBe("ORT_ARGUMENT");
    expect(await codeOfRejection(world.blocks.change("air", { light: 1 }))).toBe("ORT_ARGUMENT");
    expect(world.catalog.colourOf(16)).toBe(0xb8_73_33);
    expect(namesOf(world)).toEqual(["copper"]);
    await world.close();
    expect(await codeOfRejection(world.blocks.define(SECOND))).toBe("ORT_CLOSED");
    const reader = await openWorldEngine(disk, { readOnly: true });
    expect(await codeOfRejection(reader.blocks.define(SECOND))).toBe("ORT_READ_ONLY");
    expect(await codeOfRejection(reader.blocks.change("copper", { light: 1 }))).toBe("ORT_READ_ONLY");
    expect(namesOf(reader)).toEqual(["copper"]);
    await reader.close();
  });

  test("are in a copy of the world, in a save as tools open it, and in a world that was not closed", async () => {
    const disk = new MemoryDisk();
    const world = await createWorldEngine(disk, {}, options);
    await world.blocks.define(SECOND);
    await world.blocks.change("copper", { light: 9, opacity: 3 });
    await world.whenDurable();
    const killed = await openWorldEngine(new MemoryDisk(disk.image()), options);
    expect(namesOf(killed)).toEqual(["copper", "chest"]);
    expect(killed.catalog.byName("copper")).toMatchObject({ light: 9, opacity: 3 });
    await killed.close();
    const { save } = await openSaveWithJournal(new MemoryDisk(disk.image()));
    expect(catalogOf(save.global.description).id("chest", { facing: "west" })).toBe(20);
    await save.close();
    const target = new MemoryDisk();
    await world.saveAs(target);
    const copy = await openWorldEngine(target, options);
    expect(namesOf(copy)).toEqual(["copper", "chest"]);
    await copy.close();
    await world.close();
  });
});
