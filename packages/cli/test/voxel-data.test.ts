import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { cp, readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { EXIT } from "@orthant/cli";
import { type Dimensions, defineGenerator, flat } from "@orthant/core";
import { scanPack } from "@orthant/save/internal";
import { orthantCommand } from "@orthant/testkit/process";
import type { World } from "@orthant/world";
import { createWorld, openWorld } from "orthant";
import { describe, expect, test } from "vitest";
import { capture, captureJson, temporaryFolder } from "./captured.ts";

const ORTHANT = orthantCommand();
const ITEMS = { items: ["a sword", "three apples"] };
const CHEST = { colour: 0x8b5a2b, properties: { facing: ["north", "east"] } } as const;

/** Runs a command in a process of its own. */
function orthant(...argv: readonly string[]): Promise<{ code: number; output: string; errors: string }> {
  return new Promise((resolve, reject) => {
    execFile(process.execPath, [ORTHANT, ...argv], (error, output, errors) => {
      if (error !== null && typeof error.code !== "number") reject(error);
      else resolve({ code: Number(error?.code ?? 0), output, errors });
    });
  });
}

/** Creates a world with a chest and a sign in different regions, of which the first state is named `full`. */
async function chestWorld(): Promise<string> {
  const folder = join(await temporaryFolder(), "world");
  const world = await createWorld(folder, { dimensions: 3, generator: flat() });
  const { chest } = await world.defineBlocks({ chest: CHEST });
  await world.set([3, 40, 3], chest.id({ facing: "east" }), { data: ITEMS });
  await world.set([3, 41, 3], 1);
  await world.set([300, 40, 3], 1, { data: "a sign" });
  await world.close();
  expect((await capture(["tag", folder, "full"])).exitCode).toBe(EXIT.ok);
  return folder;
}

/** Takes an item from the chest, and writes another sign. */
async function useWorld(folder: string): Promise<void> {
  const world = await openWorld(folder, { dimensions: 3 });
  await world.setData([3, 40, 3], { items: ["a sword"] });
  await world.setData([300, 40, 3], "another sign");
  await world.close();
}

async function dataIn(folder: string): Promise<readonly unknown[]> {
  const world = await openWorld(folder, { dimensions: 3, readOnly: true });
  try {
    return [await world.data([3, 40, 3]), await world.data([300, 40, 3])];
  } finally {
    await world.close();
  }
}

describe("commands on a world with data", { timeout: 60_000 }, () => {
  test("get shows the data of a voxel, and none where there is none", async () => {
    const folder = await chestWorld();
    const { code, output } = await orthant("get", folder, "3,40,3");
    expect(code).toBe(EXIT.ok);
    expect(output).toMatch(/^block +\d+ chest\[facing=east\]$/m);
    expect(output).toMatch(/^data +37 bytes: \{"items":\["a sword","three apples"\]\}$/m);
    expect(await captureJson("get", folder, "300,40,3")).toMatchObject({
      data: { bytes: 9, text: '"a sign"' },
    });
    expect(await captureJson("get", folder, "3,41,3")).toMatchObject({ data: null });
    expect((await capture(["get", folder, "3,41,3"])).output).not.toMatch(/^data/m);
  });

  test("get shows data that only the journal has", async () => {
    const folder = await chestWorld();
    const world = await openWorld(folder, { dimensions: 3, durability: "journal", autosave: false });
    await world.setData([3, 40, 3], "new");
    const copy = `${folder}-copy`;
    await cp(folder, copy, { recursive: true });
    await world.close();
    expect(await captureJson("get", copy, "3,40,3")).toMatchObject({
      data: { bytes: 6, text: '"new"' },
      journaled: true,
    });
  });

  test("get and ls show data in a chunk that only a missing generator could make", async () => {
    const folder = join(await temporaryFolder(), "world");
    const hills = defineGenerator({
      id: "my-game:hills",
      version: 1,
      dimensions: 2,
      parameters: {},
      open: () => (x, y) => (y < 0 ? 3 + (x & 1) : 0),
    });
    const options = { dimensions: 2, generators: [hills] } as const;
    const world = await createWorld(folder, { dimensions: 2, generator: hills({ seed: 1n }) }, options);
    await world.set([3, -3], 9, { data: ITEMS });
    await world.setData([4, -3], "dug here");
    await world.close();
    expect(await captureJson("get", folder, "4,-3")).toMatchObject({
      block: null,
      data: { text: '"dug here"' },
    });
    const listed = await captureJson<{ items: readonly object[] }>("ls", folder, "chunks");
    expect(listed.items).toMatchObject([{ chunk: [0, -1], blocks: null, data: 2 }]);
  });

  test("ls chunks counts the voxels with data in each chunk", async () => {
    const { items } = await captureJson<{ items: readonly object[] }>("ls", await chestWorld(), "chunks");
    expect(items).toMatchObject([
      { chunk: [0, 2, 0], data: 1 },
      { chunk: [18, 2, 0], data: 1 },
    ]);
  });

  test("diff finds voxels whose data alone differs, between generations and between worlds", async () => {
    const folder = await chestWorld();
    const copy = `${folder}-copy`;
    await cp(folder, copy, { recursive: true });
    expect((await orthant("diff", folder, copy)).output).toBe("equal\n");
    await useWorld(folder);
    const changed = [
      { kind: "chunk", chunk: [0, 2, 0], voxels: 1, data: 1 },
      { kind: "chunk", chunk: [18, 2, 0], voxels: 1, data: 1 },
    ];
    for (const words of [
      [copy, folder],
      [folder, "--generation", "2"],
    ]) {
      const found = await capture(["diff", ...words, "--json"]);
      expect(found.exitCode).toBe(EXIT.failed);
      expect(JSON.parse(found.output)).toMatchObject({
        counts: { chunks: 2, facts: 0 },
        differences: changed,
      });
    }
    const { code, output } = await orthant("diff", copy, folder);
    expect(code).toBe(EXIT.failed);
    expect(output).toContain("content -> content, 1 voxel, data of 1\n");
  });

  test("backup and restore keep the data, exactly", async () => {
    const folder = await chestWorld();
    await useWorld(folder);
    const [backup, restored] = [`${folder}-backup`, `${folder}-restored`];
    expect((await orthant("backup", folder, backup)).code).toBe(EXIT.ok);
    expect((await orthant("restore", backup, restored)).code).toBe(EXIT.ok);
    expect((await orthant("diff", folder, restored)).output).toBe("equal\n");
    expect(await dataIn(restored)).toEqual([{ items: ["a sword"] }, "another sign"]);
  });

  test("restore --box rolls back the data in the box, and only there", async () => {
    const folder = await chestWorld();
    await useWorld(folder);
    const { code, output } = await orthant("restore", folder, "--box", "3,40,3..4,41,4", "--from", "full");
    expect([code, output]).toEqual([EXIT.ok, expect.stringContaining("1 chunk changed")]);
    expect(await dataIn(folder)).toEqual([ITEMS, "another sign"]);
    expect((await capture(["verify", folder])).exitCode).toBe(EXIT.ok);
  });
});

/** Creates a world of some axes in which two voxels have data and a third has none. */
async function signWorld(dimensions: Dimensions): Promise<string> {
  const folder = join(await temporaryFolder(), "world");
  const world: World = await createWorld(folder, { dimensions });
  const at = (x: number) => [x, 0, 0, 0].slice(0, dimensions) as unknown as [number, number];
  await world.set(at(0), 1, { data: ITEMS });
  await world.set(at(1), 2);
  await world.set(at(500), 1, { data: "a sign" });
  await world.close();
  return folder;
}

describe("convert from a world with data", { timeout: 60_000 }, () => {
  test.each<[to: string, dimensions: Dimensions, made?: string]>([
    ["v3", 3],
    ["v3", 4],
    ["flat", 4],
    ["marsminer", 3, ""],
    ["pxsw", 2, "world.pxsw"],
    ["pxsw1", 2, "world.save"],
    ["tilesave", 2, ""],
  ])(
    "convert from a world with data to %s, with %i dimensions, counts the data that is lost and keeps the blocks",
    async (to, dimensions, made) => {
      const folder = await signWorld(dimensions);
      const target = `${folder}-${to}`;
      const words = ["convert", folder, target, "--to", to];
      const isRead = made === undefined;
      const lost = { what: "data of voxels", count: 2, remark: "the format stores blocks alone" };
      const would = await capture([...words, "--dry-run", "--json"]);
      expect(would.exitCode).toBe(EXIT.loss);
      expect(JSON.parse(would.output).losses).toContainEqual(lost);

      const refused = await orthant(...words);
      expect(refused.code).toBe(EXIT.failed);
      expect(refused.output).toContain("loss: data of voxels (2): the format stores blocks alone\n");
      expect(refused.errors).toContain("[ORT_LOSS]");
      expect(existsSync(target)).toBe(false);

      const { exitCode, output } = await capture([...words, "--accept-loss", "--json"]);
      expect([exitCode, JSON.parse(output).losses]).toEqual([EXIT.loss, expect.arrayContaining([lost])]);
      const found = isRead ? target : `${target}-back`;
      if (!isRead) await capture(["convert", join(target, made), found, "--accept-loss"]);
      const listed = await captureJson<{ items: readonly { data: number }[] }>("ls", found, "chunks");
      expect(listed.items.length).toBeGreaterThan(0);
      expect(listed.items.every(({ data }) => data === 0)).toBe(true);
      expect((await captureJson<{ block: object }>("get", found, "1")).block).toMatchObject({ id: 2 });
    },
  );

  test("convert from a world with data to v3 writes no record of a version that the format does not have", async () => {
    const folder = await signWorld(3);
    const target = `${folder}-v3`;
    await capture(["convert", folder, target, "--to", "v3", "--accept-loss"]);
    for (const name of await readdir(join(target, "data"))) {
      const pieces = [...scanPack(await readFile(join(target, "data", name)), 1)];
      expect(pieces.map((piece) => (piece.kind === "record" ? piece.ref.blobVersion : piece.kind))).toEqual(
        pieces.map(() => 1),
      );
      expect(pieces.length).toBeGreaterThan(0);
    }
  });
});
