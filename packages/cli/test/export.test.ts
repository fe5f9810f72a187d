import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { EXIT } from "@orthant/cli";
import { BlockCatalog, box } from "@orthant/core";
import { NodeDisk } from "@orthant/disk/node";
import {
  openLuanti,
  openRegion,
  openSchematic,
  openVox,
  readNbtCompound,
  type VoxModel,
  visitVoxels,
} from "@orthant/formats/readers";
import { createWorld, openWorld } from "orthant";
import { describe, expect, test } from "vitest";
import { capture, temporaryFolder } from "./captured.ts";
import { makeSampleWorld } from "./sample-world.ts";

/** A world with two named types, one with a property, and data on a voxel. */
async function makeNamedWorld(): Promise<string> {
  const folder = join(await temporaryFolder(), "named");
  const world = await createWorld(folder, {
    dimensions: 3,
    blocks: new BlockCatalog([
      { id: 0, name: "air", colour: 0, solid: false },
      { id: 1, name: "minecraft:stone", colour: 0x80_80_80, solid: true },
      {
        id: 2,
        name: "minecraft:chest",
        colour: 0xa0_60_20,
        solid: true,
        properties: [{ name: "facing", values: ["north", "east"] }],
      },
    ]),
  });
  await world.fill(box([-3, 5, 20], [14, 7, 23]), 1);
  const chest = world.blocks.id("minecraft:chest", { facing: "east" });
  await world.set([-3, 6, 22], chest);
  await world.setData([-3, 6, 22], {
    id: "minecraft:chest",
    Items: [{ Slot: 3, Count: 64 }],
    Weight: 1.5,
    Far: 2 ** 40,
  });
  await world.close();
  return folder;
}

const BOX = "-4,5,20..14,7,23";

describe("orthant export", () => {
  test("[EX1] [EX2] [EX3] writes a schematic that says the same about every voxel, with properties and data", async () => {
    const folder = await makeNamedWorld();
    const file = join(folder, "../a.schem");
    const { exitCode, output } = await capture(["export", folder, file, "--box", BOX]);
    expect(output).toMatch(/^wrote .*a\.schem: voxels .*, 108 voxels, /);
    expect(exitCode).toBe(EXIT.ok);
    const schematic = await openSchematic(await readFile(file), file);
    expect(schematic).toMatchObject({
      format: "sponge",
      version: 3,
      dataVersion: 3_955,
      origin: [-4, 5, 20],
      findings: [],
    });
    const [part] = schematic.parts;
    expect(part?.size).toEqual([18, 2, 3]);
    const stateAt = (x: number, y: number, z: number): string | undefined =>
      part?.palette[part.indices?.[x + (z + y * 3) * 18] ?? -1];
    for (let y = 0; y < 2; y++) {
      for (let z = 0; z < 3; z++) {
        for (let x = 0; x < 18; x++) {
          const isChest = x === 1 && y === 1 && z === 2;
          const solid = isChest ? "minecraft:chest[facing=east]" : "minecraft:stone";
          expect(stateAt(x, y, z)).toBe(x === 0 ? "minecraft:air" : solid);
        }
      }
    }
    const [chest, ...others] = part?.blockData ?? [];
    expect(others).toEqual([]);
    expect([chest?.position, chest?.id]).toEqual([[1, 1, 2], "minecraft:chest"]);
    const data = readNbtCompound(chest?.nbt ?? new Uint8Array(0)).toMap();
    expect(data.get("Weight")).toEqual({ type: "double", value: 1.5 });
    expect(data.get("Far")).toEqual({ type: "long", value: 2n ** 40n });
    expect(data.get("Items")).toEqual({
      type: "list",
      value: [
        {
          type: "compound",
          value: new Map([
            ["Slot", { type: "int", value: 3 }],
            ["Count", { type: "int", value: 64 }],
          ]),
        },
      ],
    });
    expect(
      gunzipSync(await readFile(file))
        .subarray(0, 15)
        .toString("latin1"),
    ).toBe("\n\0\0\n\0\tSchematic");
  });

  test("[EX4] lists losses first, and writes nothing unless they are accepted", async () => {
    const folder = await makeSampleWorld();
    const file = join(folder, "../b.schem");
    const part = ["--box", "0,100,0..4,105,4"];
    const refused = await capture(["export", folder, file, ...part]);
    expect(refused.exitCode).toBe(EXIT.failed);
    expect(refused.output).toMatch(/^loss: entities: only voxels are written\n/m);
    expect(refused.output).toMatch(/^loss: names of blocks: brick becomes minecraft:bricks\n/m);
    expect(refused.errors).toContain("nothing was written");
    expect(existsSync(file)).toBe(false);
    const dry = await capture(["export", folder, file, ...part, "--dry-run"]);
    expect([dry.exitCode, existsSync(file)]).toEqual([EXIT.loss, false]);
    expect((await capture(["export", folder, file, ...part, "--accept-loss"])).exitCode).toBe(EXIT.loss);
    expect(existsSync(file)).toBe(true);
    const again = await capture(["export", folder, file, ...part, "--accept-loss"]);
    expect(again.exitCode).toBe(EXIT.failed);
    expect((await capture(["export", folder, file, ...part, "--accept-loss", "--force"])).exitCode).toBe(
      EXIT.loss,
    );
    // What was written is a world for the other commands.
    const got = await capture(["get", file, "1,1,1"]);
    expect(got.output).toMatch(/minecraft:bricks/);
  });

  test("[EX2] gives blocks of older versions the names that Minecraft has now", async () => {
    const folder = join(await temporaryFolder(), "old");
    const world = await createWorld(folder, { dimensions: 3 });
    const blocks = await world.defineBlocks({ "minecraft:grass": {}, "minecraft:grass_path": {} });
    await world.set([0, 0, 0], blocks["minecraft:grass"].id());
    await world.set([1, 0, 0], blocks["minecraft:grass_path"].id());
    await world.close();
    const file = join(folder, "../old.schem");
    const { output } = await capture(["export", folder, file, "--box", "0,0,0..2,1,1", "--accept-loss"]);
    expect(output).toContain("loss: names of blocks (2): minecraft:grass becomes minecraft:short_grass");
    const { parts } = await openSchematic(await readFile(file), file);
    expect(parts[0]?.palette).toEqual(["minecraft:short_grass", "minecraft:dirt_path"]);
  });

  test("[EX2] --map names blocks of the file, and refuses what the world or the file does not have", async () => {
    const folder = await makeSampleWorld();
    const file = join(folder, "../named.schem");
    const words = ["export", folder, file, "--box", "0,100,0..4,104,1", "--map"];
    expect((await capture([...words, "brik=minecraft:granite"])).errors).toContain('the nearest is "brick"');
    const { exitCode, output } = await capture([...words, "brick=minecraft:granite"]);
    expect(exitCode).toBe(EXIT.ok);
    expect(output).not.toContain("loss:");
    expect((await openSchematic(await readFile(file), file)).parts[0]?.palette).toEqual([
      "minecraft:granite",
    ]);
    const colours = await capture(["export", folder, join(folder, "../a.vox"), "--map", "brick=x:y"]);
    expect(colours.errors).toContain("files that end with .vox have colours, and no names of blocks");
  });

  test("[EX5] [EX6] writes voxels of MagicaVoxel with their colours, in several models above 256", async () => {
    const folder = await makeNamedWorld();
    const file = join(folder, "../c.vox");
    const { exitCode } = await capture([
      "export",
      folder,
      file,
      "--box",
      "-4,5,20..300,7,23",
      "--accept-loss",
    ]);
    expect(exitCode).toBe(EXIT.loss);
    const vox = openVox(await readFile(file), file);
    expect(vox.findings).toEqual([]);
    expect(vox.models.length).toBe(1);
    const found = new Map<string, number>();
    for (const instance of vox.instancesAt(0)) {
      visitVoxels(vox.models[instance.model] as VoxModel, instance, (x, y, z, colour) => {
        const [red, green, blue] = vox.palette.subarray((colour - 1) * 4);
        found.set([x, z, -1 - y].join(), (red ?? 0) * 65_536 + (green ?? 0) * 256 + (blue ?? 0));
      });
    }
    expect(found.size).toBe(17 * 2 * 3);
    for (const [place, colour] of found) expect(colour).toBe(place === "-3,6,22" ? 0xa0_60_20 : 0x80_80_80);
    const wide = await createWorld(join(folder, "../wide"), { dimensions: 3 });
    await wide.fill(box([0, 0, 0], [300, 1, 1]), 1);
    await wide.close();
    const wideFile = join(folder, "../wide.vox");
    await capture(["export", join(folder, "../wide"), wideFile, "--box", "0,0,0..300,1,1", "--accept-loss"]);
    const split = openVox(await readFile(wideFile), wideFile);
    const places: number[] = [];
    for (const instance of split.instancesAt(0)) {
      visitVoxels(split.models[instance.model] as VoxModel, instance, (x) => places.push(x));
    }
    expect(split.models.length).toBe(2);
    expect(places.sort((a, b) => a - b)).toEqual(Array.from({ length: 300 }, (_, at) => at));
  });

  test("[EX7] [EX8] writes the surface as glTF, which three.js reads", async () => {
    const folder = await makeNamedWorld();
    const file = join(folder, "../d.glb");
    await capture(["export", folder, file, "--box", BOX, "--accept-loss"]);
    const bytes = await readFile(file);
    expect(bytes.subarray(0, 4).toString()).toBe("glTF");
    expect([bytes.readUInt32LE(4), bytes.readUInt32LE(8)]).toEqual([2, bytes.length]);
    const { GLTFLoader } = await import("three/examples/jsm/loaders/GLTFLoader.js");
    const { Box3, Mesh, Triangle, Vector3 } = await import("three");
    const buffer = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length);
    const { scene } = await new GLTFLoader().parseAsync(buffer as ArrayBuffer, "");
    scene.updateMatrixWorld(true);
    const bounds = new Box3().setFromObject(scene);
    expect([bounds.min.toArray(), bounds.max.toArray()]).toEqual([
      [-3, 5, 20],
      [14, 7, 23],
    ]);
    let area = 0;
    scene.traverse((object) => {
      if (!(object instanceof Mesh)) return;
      const { index, attributes } = object.geometry;
      expect(
        [...(attributes["position"] as { array: Float32Array }).array].every(Number.isInteger),
        "corners of voxels",
      ).toBe(true);
      const place = (at: number) =>
        new Vector3().fromBufferAttribute(
          attributes["position"] as never,
          (index as { getX(at: number): number }).getX(at),
        );
      for (let at = 0; at < (index?.count ?? 0); at += 3) {
        area += new Triangle(place(at), place(at + 1), place(at + 2)).getArea();
      }
    });
    expect(area).toBe(2 * (17 * 2 + 17 * 3 + 2 * 3));
  });

  test("[EX9] [EX10] [EX11] writes a region of Minecraft that says the same about every voxel of a box", async () => {
    const folder = await makeNamedWorld();
    const file = join(folder, "../r.-1.0.mca");
    const { exitCode, output } = await capture(["export", folder, file]);
    expect(output).toMatch(/^wrote /);
    expect(exitCode).toBe(EXIT.ok);
    const region = await openRegion(new NodeDisk(join(folder, "..")), "r.-1.0.mca");
    const found: string[] = [];
    const columns: unknown[] = [];
    const entities: unknown[] = [];
    for await (const column of region.columns()) {
      const { x, z, status, dataVersion, isFinished } = column;
      columns.push([x, z, status, dataVersion, isFinished, column.sections.length]);
      for (const { min, palette, indices } of column.sections) {
        for (let at = 0; at < 4_096 && indices !== undefined; at++) {
          const state = palette[indices[at] as number];
          const place = [min[0] + (at & 15), min[1] + (at >> 8), min[2] + ((at >> 4) & 15)];
          if (state !== "minecraft:air") found.push(`${place.join()} ${state}`);
        }
      }
      for (const { position, id } of column.blockData) entities.push([position, id]);
    }
    await region.close();
    expect(region.findings).toEqual([]);
    expect(columns).toEqual([[-1, 1, "full", 3_955, true, 24]]);
    expect(entities).toEqual([[[-3, 6, 22], "minecraft:chest"]]);
    const expected: string[] = [];
    for (let y = 5; y < 7; y++) {
      for (let z = 20; z < 23; z++) {
        for (let x = -3; x < 0; x++) {
          const isChest = x === -3 && y === 6 && z === 22;
          expected.push(`${x},${y},${z} ${isChest ? "minecraft:chest[facing=east]" : "minecraft:stone"}`);
        }
      }
    }
    expect(found.sort()).toEqual(expected.sort());
  });

  test("[EX10] packs indices of five bits as the game does, and cuts a region to a box", async () => {
    const folder = join(await temporaryFolder(), "many");
    const names = Array.from({ length: 20 }, (_, at) => ({
      id: at + 1,
      name: `t:b${at}`,
      colour: at,
      solid: true,
    }));
    const blocks = new BlockCatalog([{ id: 0, name: "air", colour: 0, solid: false }, ...names]);
    const world = await createWorld(folder, { dimensions: 3, blocks });
    for (let x = 0; x < 20; x++) await world.set([x, 0, 0], x + 1);
    await world.set([3, 400, 3], 1);
    await world.close();
    const file = join(folder, "../r.0.0.mca");
    const all = await capture(["export", folder, file, "--accept-loss"]);
    expect(all.output).toMatch(/^loss: heights: only y from -64 to 319 exists there$/m);
    const read = async (): Promise<readonly string[]> => {
      const region = await openRegion(new NodeDisk(join(folder, "..")), "r.0.0.mca");
      const found: string[] = [];
      for await (const { sections } of region.columns()) {
        const section = sections.find(({ min }) => min[1] === 0);
        for (let x = 0; x < 16; x++) found.push(section?.palette[section.indices?.[x] ?? 0] ?? "");
      }
      await region.close();
      return found;
    };
    const named = Array.from({ length: 32 }, (_, x) => (x < 20 ? `t:b${x}` : "minecraft:air"));
    expect(await read()).toEqual(named);
    await capture(["export", folder, file, "--force", "--box", "2,0,0..17,1,1"]);
    expect(await read()).toEqual(named.map((name, x) => (x < 2 || x >= 17 ? "minecraft:air" : name)));
  });

  test("[EX12] [EX13] [EX14] writes a map of Luanti that says the same about every node", async () => {
    const folder = join(await temporaryFolder(), "nodes");
    const blocks = new BlockCatalog([
      { id: 0, name: "air", colour: 0, solid: false },
      { id: 1, name: "default:stone", colour: 1, solid: true },
      { id: 2, name: "t:log", colour: 2, solid: true, properties: [{ name: "param2", values: ["0", "7"] }] },
    ]);
    const world = await createWorld(folder, { dimensions: 3, blocks });
    await world.fill(box([-3, -2, -20], [40, 5, 4]), 1);
    await world.set([-3, 4, -20], world.blocks.id("t:log", { param2: "7" }));
    await world.close();
    const file = join(folder, "../map.sqlite");
    const { exitCode } = await capture(["export", folder, file, "--box", "-3,-2,-20..39,5,4"]);
    expect(exitCode).toBe(EXIT.ok);
    const map = await openLuanti(new NodeDisk(join(folder, "..")), "map.sqlite");
    const found = new Map<string, string>();
    for await (const { min, palette, indices, param2, isGenerated } of map.blocks()) {
      expect(isGenerated).toBe(true);
      for (let at = 0; at < 4_096; at++) {
        const name = palette[indices[at] as number];
        const [x, y, z] = [min[0] + (at & 15), min[1] + (at >> 8), min[2] + ((at >> 4) & 15)];
        if (name !== "air") found.set([x, y, -1 - z].join(), `${name} ${param2[at]}`);
      }
    }
    await map.close();
    expect(map.findings).toEqual([]);
    expect(found.size).toBe(42 * 7 * 24);
    expect(found.get("-3,4,-20")).toBe("t:log 7");
    found.delete("-3,4,-20");
    expect(new Set(found.values())).toEqual(new Set(["default:stone 0"]));
    for (const place of found.keys()) {
      const [x = 0, y = 0, z = 0] = place.split(",").map(Number);
      expect(x >= -3 && x < 39 && y >= -2 && y < 5 && z >= -20 && z < 4).toBe(true);
    }
  });

  test("[EX15] [IM83] metadata, inventories and timers come back from a map of Luanti as they were", async () => {
    const folder = join(await temporaryFolder(), "chests");
    const world = await createWorld(folder, {
      dimensions: 3,
      blocks: new BlockCatalog([
        { id: 0, name: "air", colour: 0, solid: false },
        { id: 1, name: "default:chest", colour: 1, solid: true },
      ]),
    });
    const data = [
      [[-3, 4, -20], { fields: { owner: "Änne", code: "7" }, privateFields: ["code"] }],
      [
        [0, -1, 15],
        {
          fields: {},
          inventory: {
            main: { width: 4, items: ["default:dirt 99", "", 'default:pick 1 300 "\\u0001a"'] },
            dst: { width: 0, items: [] },
          },
          timer: { timeout: 1.5, elapsed: 0.25 },
        },
      ],
      [[17, 0, 0], { timer: { timeout: 2_000_000, elapsed: 0 } }],
      // In a chunk that is only air.
      [[70, 70, 70], { fields: { text: "x\n".repeat(500) } }],
    ] as const;
    for (const [position, value] of data) {
      if (position[0] < 70) await world.set(position, 1);
      await world.setData(position, value);
    }
    await world.close();
    const file = join(folder, "../map.sqlite");
    const exported = await capture(["export", folder, file]);
    expect([exported.exitCode, exported.errors]).toEqual([EXIT.ok, ""]);
    const made = join(folder, "../again");
    expect((await capture(["convert", file, made, "--accept-loss"])).exitCode).toBe(EXIT.loss);
    const again = await openWorld(made, { dimensions: 3, readOnly: true });
    for (const [position, value] of data) expect(await again.data(position)).toEqual(value);
    await again.close();
  });

  test("[EX15] lists data that a node of Luanti cannot have", async () => {
    const folder = join(await temporaryFolder(), "odd");
    const world = await createWorld(folder, { dimensions: 3 });
    const odd = [
      { id: "minecraft:chest", Items: [] },
      ["a"],
      { timer: { timeout: -1, elapsed: 0 } },
      { fields: { count: 3, name: "a" }, colour: "red", timer: {} },
      { fields: {}, inventory: { "two words": { items: [] }, main: { width: -1, items: ["a\nb"] } } },
    ];
    for (const [x, value] of odd.entries()) await world.setData([x, 0, 0], value);
    await world.close();
    const { output } = await capture(["export", folder, join(folder, "../map.sqlite"), "--dry-run"]);
    expect(output).toMatch(/^loss: data of voxels \(3\): that of \[0, 0, 0\] is not that of a node$/m);
    expect(output).toMatch(/^loss: fields of data \(5\): colour: a node has no such field$/m);
  });

  test("[EX2] gives blocks of older versions the names that they have in Minecraft 1.21", async () => {
    const folder = join(await temporaryFolder(), "older");
    const level = { name: "level", values: ["0", "1", "3"] };
    const half = { name: "type", values: ["bottom", "double"] };
    const world = await createWorld(folder, {
      dimensions: 3,
      blocks: new BlockCatalog([
        { id: 0, name: "air", colour: 0, solid: false },
        { id: 1, name: "minecraft:cauldron", colour: 1, solid: true, properties: [level] },
        { id: 9, name: "minecraft:stone_slab", colour: 1, solid: true, properties: [half] },
      ]),
    });
    const row = [
      world.blocks.id("minecraft:cauldron", { level: "0" }),
      world.blocks.id("minecraft:cauldron", { level: "3" }),
      world.blocks.id("minecraft:stone_slab", { type: "double" }),
    ];
    for (const [x, block] of row.entries()) await world.set([x, 0, 0], block);
    await world.close();
    const file = join(folder, "../a.schem");
    const { output } = await capture(["export", folder, file, "--box", "0,0,0..3,1,1", "--accept-loss"]);
    expect(output).toContain(
      "loss: names of blocks (2): minecraft:cauldron becomes minecraft:water_cauldron",
    );
    const [part] = (await openSchematic(await readFile(file), file)).parts;
    expect(Array.from(part?.indices ?? [], (index) => part?.palette[index])).toEqual([
      "minecraft:cauldron",
      "minecraft:water_cauldron[level=3]",
      "minecraft:smooth_stone_slab[type=double]",
    ]);
  });

  test("[EX2] leaves slabs of Minecraft 1.14 and later, which may hold water, as they are", async () => {
    const folder = join(await temporaryFolder(), "slabs");
    const water = { name: "waterlogged", values: ["false", "true"] };
    const world = await createWorld(folder, {
      dimensions: 3,
      blocks: new BlockCatalog([
        { id: 0, name: "air", colour: 0, solid: false },
        { id: 1, name: "minecraft:stone_slab", colour: 1, solid: true, properties: [water] },
        { id: 3, name: "minecraft:cauldron", colour: 1, solid: true },
      ]),
    });
    await world.set([0, 0, 0], 1);
    await world.set([1, 0, 0], 3);
    await world.close();
    const { exitCode } = await capture(["export", folder, join(folder, "../a.schem")]);
    expect(exitCode).toBe(EXIT.ok);
  });

  test("refuses names, boxes and worlds that it cannot write", async () => {
    const folder = await makeNamedWorld();
    const failed = async (...more: readonly string[]): Promise<string> => {
      const { exitCode, errors } = await capture(["export", folder, ...more]);
      expect(exitCode).toBe(EXIT.usage);
      return errors;
    };
    expect(await failed("a.obj")).toContain("it ends with one of .schem, .vox, .glb");
    expect(await failed("region.mca")).toContain("r.X.Z.mca");
    expect(await failed("r.0.0.mca", "--box", "-9,0,0..-5,1,1")).toContain("outside of the region");
    expect(await failed("a.vox", "--box", "0,0,0,0..1,1,1,2")).toContain("three axes");
    expect(await failed("a.vox", "--box", "0,0,0..4000,4000,4000")).toContain("too many");
  });
});
