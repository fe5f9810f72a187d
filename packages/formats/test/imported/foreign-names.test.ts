import { BlockCatalog, DEFAULT_BLOCKS } from "@orthant/core";
import { defineBlocks } from "@orthant/core/chunk";
import { MemoryDisk } from "@orthant/disk";
import { planBlocks } from "@orthant/formats/internal";
import { type NbtSample, nbtFile } from "@orthant/testkit";
import { describe, expect, test } from "vitest";
import { convertedWorld } from "./samples.ts";

/** Names that every object inherits. */
const INHERITED = ["__proto__", "constructor", "toString", "hasOwnProperty", "valueOf"];

/** Returns a disk with a schematic of voxels in a row, and data for the first. */
function schematic(states: readonly string[], data: Readonly<Record<string, NbtSample>> = {}): MemoryDisk {
  const palette = Object.fromEntries(states.map((state, index) => [state, { int: index }]));
  const file = nbtFile({
    Version: { int: 2 },
    Width: { short: states.length },
    Height: { short: 1 },
    Length: { short: 1 },
    Palette: { fields: palette },
    BlockData: { bytes: states.map((_, index) => index) },
    BlockEntities: { list: [{ fields: { Id: "constructor", Pos: { ints: [0, 0, 0] }, ...data } }] },
  });
  return new MemoryDisk({ directories: [], files: new Map([["house.schem", file]]) });
}

describe.each(INHERITED)("a world in which something is named %s", (name) => {
  test("keeps it as the name of a block", async () => {
    const { voxels } = await convertedWorld(schematic([name, "minecraft:stone"]), "house.schem");
    expect([...voxels.values()]).toEqual([name, "minecraft:stone"]);
  });

  test("keeps it as the name and as the value of a property, except for a name with underscores", async () => {
    const states = [`game:chest[${name}=${name}]`, `game:chest[${name}=open]`];
    const { voxels, losses } = await convertedWorld(schematic(states), "house.schem");
    const isName = /^[a-z]/.test(name);
    expect([...voxels.values()]).toEqual(isName ? states : ["game:chest", "game:chest"]);
    expect(losses.map(({ what }) => what)).toEqual(isName ? [] : ["properties of blocks"]);
  });

  test("does not give other blocks of the type a value of it", async () => {
    const states = ["game:chest[facing=north]", `game:chest[toString=${name}]`, "game:chest[toString=a]"];
    const { voxels } = await convertedWorld(schematic(states), "house.schem");
    const value = [name, "a"].sort()[0];
    expect([...voxels.values()]).toEqual([
      `game:chest[facing=north,toString=${value}]`,
      `game:chest[facing=north,toString=${name}]`,
      "game:chest[facing=north,toString=a]",
    ]);
  });

  test("keeps it as a field of data", async () => {
    const disk = schematic(["game:chest"], { [name]: "own", deep: { fields: { [name]: { int: 1 } } } });
    const { data } = await convertedWorld(disk, "house.schem");
    const found = data.get("0,0,0") as Record<string, object>;
    expect(Object.getOwnPropertyDescriptor(found, name)?.value).toBe("own");
    expect(Object.getOwnPropertyDescriptor(found["deep"], name)?.value).toBe(1);
    expect(({} as Record<string, unknown>)["own"]).toBeUndefined();
  });
});

describe("names with hidden characters", () => {
  const STATES = ["game:a\0b[side=\u202etfel]", "game:a\u0001b", "game:plain"];

  test("become escapes, and that is listed as a loss", async () => {
    const { voxels, losses } = await convertedWorld(schematic(STATES), "house.schem");
    expect([...voxels.values()]).toEqual([
      "game:a\\u0000b[side=\\u202etfel]",
      "game:a\\u0001b",
      "game:plain",
    ]);
    expect(losses).toMatchObject([{ what: "names with hidden characters", count: 2 }]);
  });

  test("become escapes when a world of before is pasted into another", () => {
    const source = new BlockCatalog([
      ...DEFAULT_BLOCKS.types,
      {
        id: 16,
        name: "a\0b",
        colour: 1,
        solid: true,
        properties: [{ name: "side", values: ["\u202etfel", "right"] }],
        tags: ["c\u200b"],
      },
    ]);
    const { blocks, definitions, renamed } = planBlocks(source, DEFAULT_BLOCKS, [16, 17]);
    expect(blocks.get(16)).toEqual({ type: "a\\u0000b", properties: { side: "\\u202etfel" } });
    expect(blocks.get(17)).toEqual({ type: "a\\u0000b", properties: { side: "right" } });
    expect(renamed).toEqual([{ name: "a\0b", as: "a\\u0000b" }]);
    const target = defineBlocks(DEFAULT_BLOCKS, definitions);
    expect(target.byName("a\\u0000b")).toMatchObject({ tags: ["c\\u200b"] });
  });
});
