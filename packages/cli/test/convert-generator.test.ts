import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { EXIT } from "@orthant/cli";
import { NodeDisk } from "@orthant/disk/node";
import { nbtFile } from "@orthant/testkit";
import { openWorldEngine } from "@orthant/world/engine";
import { beforeAll, describe, expect, test } from "vitest";
import { capture, temporaryFolder } from "./captured.ts";
import { makeSampleWorld } from "./sample-world.ts";

const STONE = 1;

const SECTOR_BYTES = 4_096;

/** A region with columns in its first row, each with a section of dirt from y -16 to -1. */
function regionOf(columns: readonly (readonly [x: number, status: string])[]): Uint8Array {
  const file = new Uint8Array((2 + columns.length) * SECTOR_BYTES);
  const view = new DataView(file.buffer);
  for (const [index, [x, status]] of columns.entries()) {
    const palette = { list: [{ fields: { Name: "minecraft:dirt" } }] };
    const section = { fields: { Y: { byte: -1 }, block_states: { fields: { palette } } } };
    const column = nbtFile({
      DataVersion: { int: 3_955 },
      xPos: { int: x },
      zPos: { int: 0 },
      Status: status,
      sections: { list: [section] },
    });
    const start = (2 + index) * SECTOR_BYTES;
    view.setUint32(x * 4, ((2 + index) << 8) | 1);
    view.setUint32(start, column.length + 1);
    // Not compressed.
    view.setUint8(start + 4, 3);
    file.set(column, start + 5);
  }
  return file;
}

describe("convert --generator", () => {
  let folder: string;
  let map: string;

  beforeAll(async () => {
    folder = await temporaryFolder();
    map = join(folder, "level.tmj");
    const content = {
      tilewidth: 16,
      tileheight: 16,
      tilesets: [{ firstgid: 1, name: "ground", tilecount: 9 }],
      layers: [{ type: "tilelayer", name: "low", width: 3, height: 1, data: [1, 0, 2] }],
    };
    await writeFile(map, JSON.stringify(content));
  });

  test("fills the space around an imported world, and players begin in what was imported", async () => {
    const target = join(folder, "filled");
    const { exitCode } = await capture([
      ...["convert", map, target, "--generator", "flat"],
      ...["--set", `block=${STONE}`, "--set", "top=0"],
    ]);
    expect(exitCode).toBe(EXIT.ok);
    const world = await openWorldEngine(new NodeDisk(target), { readOnly: true });
    const at = async (x: number, y: number): Promise<string | undefined> =>
      world.catalog.byId(await world.get([x, y, 0, 0]))?.name;
    expect([await at(2, -1), await at(1, -1), await at(1, -40)]).toEqual(["ground:1", "air", "air"]);
    expect([await at(200, -1), await at(200, 0)]).toEqual(["stone", "air"]);
    expect(world.spawn.slice(0, 2)).toEqual([2.5, 0]);
    await world.close();
  });

  test("[IM87] leaves gaps and unfinished columns beside imported ones as air", async () => {
    const source = join(folder, "borders");
    await mkdir(join(source, "region"), { recursive: true });
    await writeFile(
      join(source, "region/r.0.0.mca"),
      regionOf([
        [0, "minecraft:full"],
        [1, "minecraft:features"],
        [4, "minecraft:features"],
      ]),
    );
    const target = join(folder, "bordered");
    const { output } = await capture([
      ...["convert", source, target, "--accept-loss", "--generator", "flat"],
      ...["--set", `block=${STONE}`, "--set", "thickness=200"],
    ]);
    expect(output).toMatch(/^loss: unfinished columns \(2\): the game had not finished generating them$/m);
    const world = await openWorldEngine(new NodeDisk(target), { readOnly: true });
    const at = async (x: number, y: number): Promise<string | undefined> =>
      world.catalog.byId(await world.get([x, y, 8, 0]))?.name;
    expect(await at(8, -8), "a finished column").toBe("minecraft:dirt");
    expect(await at(24, -8), "an unfinished one beside it").toBe("air");
    expect(await at(40, -8), "a gap beside it").toBe("air");
    expect(await at(72, -8), "an unfinished one by itself").toBe("air");
    expect(await at(136, -8), "where no column is").toBe("stone");
    expect(await at(8, -72), "below the lowest section").toBe("stone");
    await world.close();
  });

  test("leaves it empty by default", async () => {
    const target = join(folder, "empty");
    expect((await capture(["convert", map, target])).exitCode).toBe(EXIT.ok);
    const world = await openWorldEngine(new NodeDisk(target), { readOnly: true });
    expect(await world.get([200, -1, 0, 0])).toBe(0);
    await world.close();
  });

  test.each<[what: string, options: readonly string[], message: string]>([
    ["an invalid generator", ["--generator", "lava"], '--generator: "lava" is not one of flat, '],
    ["parameters of none", ["--set", "block=1"], "--set needs --generator"],
    ["a parameter that it lacks", ["--generator", "flat", "--set", "hue=1"], 'there is no parameter "hue"'],
  ])("rejects %s, and writes nothing", async (_what, options, message) => {
    const { exitCode, errors } = await capture(["convert", map, join(folder, "none"), ...options]);
    expect([exitCode, errors]).toEqual([EXIT.usage, expect.stringContaining(message)]);
  });

  test("is refused for a world of Orthant, which has its own", async () => {
    const world = await makeSampleWorld();
    const { exitCode, errors } = await capture(["convert", world, `${world}-x`, "--generator", "flat"]);
    expect(exitCode).toBe(EXIT.usage);
    expect(errors).toContain("--generator is for imported worlds");
  });
});
