import { BlockCatalog, CUBE_CHUNKS, DEFAULT_BLOCKS } from "@orthant/core";
import { MemoryDisk } from "@orthant/disk";
import { codeOf, codeOfRejection } from "@orthant/testkit";
import { writeNamedWorld } from "@orthant/testkit/saves";
import { createWorld, openWorld, type World } from "@orthant/world";
import { describe, expect, test } from "vitest";

const HIDDEN = ["a\0b", "\u202eenots", "line\nbreak", "\u001b[2J", "zero\u200bwidth", "\u3164"];
const OLD_NAME = "\u202edlrow dlo";

function newWorld(): Promise<World<3>> {
  return createWorld(new MemoryDisk(), { dimensions: 3 }, { autosave: false });
}

/** Returns the disk of a world from before such names were refused. */
async function oldWorld(): Promise<MemoryDisk> {
  const catalog = new BlockCatalog([
    ...DEFAULT_BLOCKS.types,
    {
      id: 16,
      name: "a\0b",
      colour: 1,
      solid: true,
      properties: [{ name: "facing", values: ["\u202ehtuos"] }],
      tags: ["c\u200b"],
    },
  ]);
  const disk = new MemoryDisk();
  await writeNamedWorld(disk, CUBE_CHUNKS, { name: OLD_NAME, catalog });
  return disk;
}

describe.each(HIDDEN)("the text %j, which is not shown as it is,", (text) => {
  test("is refused as the name of a world, new or renamed", async () => {
    const made = createWorld(new MemoryDisk(), { dimensions: 3, name: text });
    expect(await codeOfRejection(made)).toBe("ORT_ARGUMENT");
    const world = await newWorld();
    expect(codeOf(() => world.rename(text))).toBe("ORT_ARGUMENT");
    await world.close();
  });

  test("is refused as a block's name, value or tag in a new catalog and in a definition", async () => {
    const plain = { id: 1, name: "stone", colour: 1, solid: true };
    const air = { id: 0, name: "air", colour: 0, solid: false };
    const types = [
      { ...plain, name: text },
      { ...plain, properties: [{ name: "facing", values: ["north", text] }] },
      { ...plain, tags: [text] },
    ];
    for (const type of types) {
      const blocks = new BlockCatalog([air, type]);
      const made = createWorld(new MemoryDisk(), { dimensions: 3, blocks });
      expect(await codeOfRejection(made)).toBe("ORT_ARGUMENT");
    }
    const world = await newWorld();
    for (const definitions of [
      { [text]: {} },
      { chest: { properties: { facing: [text] } } },
      { chest: { tags: [text] } },
    ]) {
      expect(await codeOfRejection(world.defineBlocks(definitions))).toBe("ORT_ARGUMENT");
    }
    expect(await codeOfRejection(world.renameBlock("stone", text))).toBe("ORT_ARGUMENT");
    expect(world.blocks.types).toEqual(DEFAULT_BLOCKS.types);
    await world.close();
  });

  test("is refused as the name of a player, an entity and a generation", async () => {
    const world = await newWorld();
    expect(codeOf(() => world.upsertPlayer({ playerId: 1n, name: text }))).toBe("ORT_ARGUMENT");
    expect(codeOf(() => world.spawnEntity({ kind: 1, position: [0, 0, 0], name: text }))).toBe(
      "ORT_ARGUMENT",
    );
    const { id } = world.spawnEntity({ kind: 1, position: [0, 0, 0], name: "Ada" });
    expect(codeOf(() => world.changeEntity(id, { name: text }))).toBe("ORT_ARGUMENT");
    await world.save();
    expect(await codeOfRejection(world.history.tag(text))).toBe("ORT_ARGUMENT");
    await world.close();
  });
});

describe("a world from before hidden characters were refused", () => {
  test("opens with its names, and takes edits, new blocks and another spawn", async () => {
    const disk = await oldWorld();
    const world = await openWorld(disk, { autosave: false });
    const id = world.blocks.id("a\0b", { facing: "\u202ehtuos" });
    await world.set([0, 0, 0], id);
    await world.defineBlocks({ copper: {} });
    await world.retireBlock("a\0b");
    world.moveSpawn([1, 2, 3]);
    await world.renameBlock("a\0b", "ab");
    await world.close();
    const again = await openWorld(disk, { readOnly: true });
    expect(again.name).toBe(OLD_NAME);
    expect(again.blocks.describe((await again.get([0, 0, 0])) ?? 0)).toEqual({
      type: "ab",
      properties: { facing: "\u202ehtuos" },
    });
    await again.close();
  });
});
