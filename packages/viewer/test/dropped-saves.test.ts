import { statSync } from "node:fs";
import { copyFile, mkdir, mkdtemp, readdir, readFile, rm, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, dirname, join, resolve } from "node:path";
import { HYPERCUBE_CHUNKS, systemTime } from "@orthant/core";
import { ByteWriter } from "@orthant/core/bytes";
import { blockLabel } from "@orthant/core/chunk";
import { MemoryDisk } from "@orthant/disk";
import { NodeDisk } from "@orthant/disk/node";
import { IMPORTED_FORMATS } from "@orthant/formats/imports";
import { convertToFlat } from "@orthant/formats/internal";
import { catalogOf, openSave } from "@orthant/save";
import { createServer, type OrthantServer } from "@orthant/server";
import { canOpenBrowser, openBrowser, type Pixel, ViewerWindow } from "@orthant/testkit/browser";
import { goldenPath, hasGolden } from "@orthant/testkit/golden";
import { VIEWER_PAGE } from "@orthant/viewer/node";
import { createWorldEngine, type WorldEngine } from "@orthant/world/engine";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";

/** A browser without a graphics card is slow on a busy machine. */
const BROWSER_MS = 120_000;

const BRICK = 11;

/** Saves written by the games themselves. */
const PIXELS = goldenPath("pxsw/06-bodies.save");
const TILES = goldenPath("wire-v1/save/world.sav");
const MARS = goldenPath("marsminer-v0/d3-stringblock/game-world/save");
const SCHEMATIC = "imports/schematics/sponge-v2/smallhouse1.schem";
/** More than a page converts. */
const TOO_MANY_BYTES = 64 * 1024 * 1024 + 1;

describe.skipIf(!canOpenBrowser())("a save opened in the page", { timeout: BROWSER_MS }, () => {
  let browser: Browser;
  let folder: string;
  let world: WorldEngine;
  let server: OrthantServer;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "orthant-dropped-"));
    await writeTree(join(folder, "tree"));
    await writeFlat(join(folder, "tree"), join(folder, "flat"));
    await writeFile(join(folder, "old.v4dw"), legacyBytes());
    await writeTree(join(folder, "damaged"));
    await damagePacks(join(folder, "damaged", "data"));
    await mkdir(join(folder, "nothing"));
    await writeFile(join(folder, "nothing", "notes.txt"), "no world");
    world = await createWorldEngine(new MemoryDisk(), { name: "Served" });
    server = await createServer({ world, logger: false, page: VIEWER_PAGE });
    browser = await openBrowser();
  }, BROWSER_MS);

  afterAll(async () => {
    await browser?.close();
    await server?.close();
    await world?.close();
    await rm(folder, { recursive: true });
  });

  async function open(path: string): Promise<ViewerWindow> {
    const view = await ViewerWindow.open(browser, { url: `http://127.0.0.1:${server.port}` });
    onTestFinished(() => view.close());
    await view.said("Here");
    const chosen = resolve(folder, path);
    await view.page.setInputFiles(statSync(chosen).isFile() ? "#open-file" : "#open-folder", chosen);
    return view;
  }

  test.each([
    ["tree", "Home", "orthant, from your disk"],
    ["flat", "flat", "polychora-flat, from your disk"],
    ["old.v4dw", "old.v4dw", "v4dw, from your disk"],
  ])(
    "a dropped save of the kind %s is shown without sending any of it to the server",
    async (path, name, origin) => {
      const view = await open(path);
      await view.says("world-name", name);
      expect(await view.page.textContent("#world-origin")).toBe(origin);
      const before = await server.metrics.getSingleMetricAsString("orthant_bytes_total");
      await view.sees([2, 3, 4, 5], BRICK);
      await view.settled();
      expect(await view.voxelAt([3, 3, 4, 5])).toBe(0);
      expect(await view.page.isHidden("#tools"), "it is only looked at").toBe(true);
      expect(server.connectionCount, "the page has left the server").toBe(0);
      expect(await server.metrics.getSingleMetricAsString("orthant_bytes_total")).toBe(before);
      expect(view.complaints).toEqual([]);
    },
  );

  test("is rejected with a clear message when it is not a save, and the served world can be shown again", async () => {
    const view = await open("nothing");
    await view.said("no world of a format that is known here was dropped");
    await view.page.click("#again");
    await view.says("world-name", "Served");
    await view.said("Here");
  });

  test("is shown as far as possible when part of it is damaged, and the page says so", async () => {
    const view = await open("damaged");
    await view.said("Damaged:");
    expect(view.complaints).toEqual([]);
    expect(await view.voxelAt([2, 3, 4, 5]), "it is not known").toBeUndefined();
  });

  test("is shown when it is dropped onto the page", async () => {
    const view = await ViewerWindow.open(browser, { url: `http://127.0.0.1:${server.port}` });
    onTestFinished(() => view.close());
    await view.said("Here");
    await view.drop("old.v4dw", legacyBytes());
    await view.says("world-origin", "v4dw");
    await view.sees([2, 3, 4, 5], BRICK);
  });

  describe("in another format", () => {
    test.each([
      {
        path: PIXELS,
        name: "06-bodies.save",
        origin: "pixelworld, native, from your disk",
        remark: "Here, to look. Converted without the generator, the layer color (2),",
        // Bands of 16 pixels: the game wrote (y / 16 + y / 512) modulo 8 there.
        voxels: [
          { position: [64, 1000, 0, 0], block: 7 },
          { position: [257, 990, 0, 0], block: 6 },
          { position: [12, 512 + 21, 0, 0], block: 2 },
        ],
        // Leaves, and water further down.
        strongest: [
          { at: [322, 230], channel: "green" },
          { at: [322, 350], channel: "blue" },
        ],
      },
      {
        path: MARS,
        name: "perlin 4711",
        origin: "marsminer, stringblock, from your disk",
        remark: "Here, to look. Converted without block subtypes (56).",
        // Sand and rock of the two columns, and air above them.
        voxels: [
          { position: [63, 768, 0, 0], block: 15 },
          { position: [-64, 768, 127, 0], block: 30 },
          { position: [63, 768 + 63, 63, 0], block: 0 },
        ],
        // The colour of its sand, below the sky.
        strongest: [
          { at: [322, 300], channel: "green" },
          { at: [450, 120], channel: "blue" },
        ],
      },
      {
        path: TILES,
        name: "world.sav",
        origin: "tilesave, from your disk",
        remark: "Here, to look. Converted without the terrain that the game makes.",
        voxels: [{ position: [0, 0, 0, 0], block: 1 }],
        // The dirt in the corner of its chunk.
        strongest: [{ at: [262, 316], channel: "red" }],
      },
    ] as const)(
      "$name is shown, and the page says what is missing",
      async ({ path, name, origin, ...shown }) => {
        const view = await open(path);
        await view.says("world-name", name);
        expect(await view.page.textContent("#world-origin")).toBe(origin);
        await view.said(shown.remark);
        for (const { position, block } of shown.voxels) await view.sees(position, block);
        await view.settled();
        const picture = await view.picture();
        for (const { at, channel } of shown.strongest) {
          expect(strongestOf(picture.at(at[0], at[1])), `${at}`).toBe(channel);
        }
        expect(await view.page.isHidden("#tools"), "it is only looked at").toBe(true);
        expect(server.connectionCount, "the page has left the server").toBe(0);
        expect(view.complaints).toEqual([]);
      },
    );

    // Voxels that other readers found there, and what is drawn in the middle, below the sky.
    const IMPORTED = [
      {
        path: "imports/minecraft/1.20.6/r.0.0.mca",
        name: "r.0.0.mca",
        format: "minecraft",
        remark: "Here, to look. Converted without light and biomes of columns (9), unfinished columns (13).",
        voxel: [39, 68, 24, 0],
        label: "minecraft:snow[layers=1]",
      },
      {
        path: SCHEMATIC,
        name: "smallhouse1",
        format: "schematic",
        remark: "Here, to look",
        voxel: [10, 24, 14, 0],
        label: "minecraft:dark_oak_planks",
      },
      {
        path: "imports/vox/real/axes.vox",
        name: "axes",
        format: "vox",
        remark: "Here, to look",
        voxel: [18, 198, -2, 0],
        label: "vox:229",
      },
      {
        path: "imports/tiled/finite-csv.tmj",
        name: "finite-csv",
        format: "tiled",
        remark: "Here, to look. Converted without",
        voxel: [20, -14, 0, 0],
        label: "terrain:5",
      },
      {
        path: "imports/luanti/5.6.1-v29",
        name: "golden sqlite3",
        format: "luanti",
        remark: "Here, to look. Converted without light of blocks (38)",
        voxel: [7, 20, 8, 0],
        label: "gold:coloured[param2=255]",
      },
    ] as const;
    test.each(IMPORTED.filter(({ path }) => hasGolden(path)))(
      "$path is shown from its spawn point",
      async ({ path, name, format, remark, voxel, label }) => {
        const view = await open(goldenPath(path));
        await view.says("world-name", name);
        expect(await view.page.textContent("#world-origin")).toBe(`${format}, from your disk`);
        await view.said(remark);
        await view.sees(voxel, await idOf(goldenPath(path), label));
        await view.settled();
        const picture = await view.picture();
        const colours = new Set(
          Array.from({ length: 32 }, (_, at) =>
            String(picture.at(220 + at * 4, 200 + at * 4).map((part) => part >> 4)),
          ),
        );
        expect(colours.size, "more than the sky is drawn").toBeGreaterThan(2);
        expect(server.connectionCount, "the page has left the server").toBe(0);
        expect(view.complaints).toEqual([]);
      },
    );

    test.runIf(hasGolden(SCHEMATIC))("a schematic is shown when it is dropped onto the page", async () => {
      const view = await ViewerWindow.open(browser, { url: `http://127.0.0.1:${server.port}` });
      onTestFinished(() => view.close());
      await view.said("Here");
      await view.drop("house.schem", await readFile(goldenPath(SCHEMATIC)));
      await view.says("world-origin", "schematic");
    });

    test("is shown when it is dropped onto the page", async () => {
      const view = await ViewerWindow.open(browser, { url: `http://127.0.0.1:${server.port}` });
      onTestFinished(() => view.close());
      await view.said("Here");
      await view.drop("world.save", await readFile(PIXELS));
      await view.says("world-origin", "pixelworld");
      await view.sees([64, 1000, 0, 0], 7);
    });

    test("is rejected when it is too large for a page, with advice on what to do instead", async () => {
      const path = join(folder, "large.save");
      await copyFile(PIXELS, path);
      await truncate(path, TOO_MANY_BYTES);
      const view = await open(path);
      await view.said(
        'ORT_LIMIT: a page converts at most 64 MiB, and the save has 65 MiB; convert it with "orthant convert"',
      );
    });
  });
});

function strongestOf([red, green, blue]: Pixel): "red" | "green" | "blue" {
  if (red > green && red > blue) return "red";
  return green > blue ? "green" : "blue";
}

/** Returns the number that a conversion gives to a state of a block. */
async function idOf(path: string, label: string): Promise<number> {
  const isFile = statSync(path).isFile();
  const disk = new NodeDisk(isFile ? dirname(path) : path);
  const environment = {
    time: systemTime,
    progress: () => ({ advance: () => undefined, end: () => undefined }),
    note: () => undefined,
  };
  for (const format of IMPORTED_FORMATS) {
    const world = await format.detect(disk, isFile ? basename(path) : undefined);
    if (world === undefined || format.open === undefined) continue;
    const save = await openSave(await format.open({ disk, world, values: {}, environment }));
    await save.close();
    const catalog = catalogOf(save.global.description);
    for (let id = 0; id < catalog.endId; id++) if (blockLabel(catalog, id) === label) return id;
  }
  throw new Error(`no block ${label} in ${path}`);
}

async function writeTree(path: string): Promise<void> {
  const world = await createWorldEngine(await NodeDisk.create(path), { name: "Home" });
  await world.set([2, 3, 4, 5], BRICK);
  await world.save();
  await world.close();
}

/** Flips a bit at the end of every pack. */
async function damagePacks(data: string): Promise<void> {
  for (const name of await readdir(data)) {
    const bytes = await readFile(join(data, name));
    bytes[bytes.length - 20] = (bytes[bytes.length - 20] ?? 0) ^ 1;
    await writeFile(join(data, name), bytes);
  }
}

async function writeFlat(from: string, path: string): Promise<void> {
  const save = await openSave(new NodeDisk(from));
  await convertToFlat(save, await NodeDisk.create(path));
  await save.close();
}

/** A file by rule S42: a world without a base, with one chunk in which one voxel is brick. */
function legacyBytes(): Uint8Array {
  const out = new ByteWriter();
  for (const letter of "V4DW") out.u8(letter.charCodeAt(0));
  out.u32(2);
  out.u8(0);
  out.u32(1);
  out.u32(1);
  out.u8(2);
  const cell = 2 + 8 * (3 + 8 * (4 + 8 * 5));
  for (let index = 0; index < HYPERCUBE_CHUNKS.volume; index++) out.u8(index === cell ? BRICK : 0);
  for (let axis = 0; axis < 4; axis++) out.i32(0);
  out.u32(0);
  return out.copy();
}
