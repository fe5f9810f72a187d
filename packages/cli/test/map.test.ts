import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { inflateSync } from "node:zlib";
import { EXIT } from "@orthant/cli";
import { box } from "@orthant/core";
import { NodeDisk } from "@orthant/disk/node";
import { openWorldEngine } from "@orthant/world/engine";
import { createWorld } from "orthant";
import { beforeAll, describe, expect, test } from "vitest";
import { capture, captureJson, temporaryFolder } from "./captured.ts";
import { makeSampleWorld } from "./sample-world.ts";

interface Pixels {
  readonly width: number;
  readonly height: number;
  /** A pixel as `rrggbb`, or `.` when it is transparent. */
  at(x: number, y: number): string;
}

/** Reads a PNG written by these tests, and reverses its filters as the PNG specification describes. */
async function readPng(file: string): Promise<Pixels> {
  const bytes = await readFile(file);
  expect(bytes.subarray(0, 8).toString("hex")).toBe("89504e470d0a1a0a");
  const data: Buffer[] = [];
  let [width, height] = [0, 0];
  for (let offset = 8; offset < bytes.length; ) {
    const length = bytes.readUInt32BE(offset);
    const name = bytes.toString("latin1", offset + 4, offset + 8);
    const body = bytes.subarray(offset + 8, offset + 8 + length);
    if (name === "IHDR") {
      [width, height] = [body.readUInt32BE(0), body.readUInt32BE(4)];
      expect([...body.subarray(8)], "8 bits, colour and alpha, not interlaced").toEqual([8, 6, 0, 0, 0]);
    }
    if (name === "IDAT") data.push(body);
    offset += length + 12;
  }
  const raw = inflateSync(Buffer.concat(data));
  const stride = width * 4;
  expect(raw.length).toBe((stride + 1) * height);
  const pixels = new Uint8Array(stride * height);
  for (let row = 0; row < height; row++) {
    const filter = raw[row * (stride + 1)] as number;
    for (let index = 0; index < stride; index++) {
      const at = row * stride + index;
      const left = index < 4 ? 0 : (pixels[at - 4] as number);
      const above = row === 0 ? 0 : (pixels[at - stride] as number);
      const predicted = [0, left, above][filter];
      if (predicted === undefined) throw new Error(`filter ${filter}`);
      pixels[at] = (raw[row * (stride + 1) + 1 + index] as number) + predicted;
    }
  }
  return {
    width,
    height,
    at(x, y) {
      const pixel = pixels.subarray((y * width + x) * 4, (y * width + x) * 4 + 4);
      return pixel[3] === 0 ? "." : Buffer.from(pixel.subarray(0, 3)).toString("hex");
    },
  };
}

let tiles: string;
let hills: string;
let isles: string;
let folder: string;

async function make(template: string, ...options: readonly string[]): Promise<string> {
  const world = join(folder, template);
  await capture(["create", world, "--template", template, "--seed", "7", ...options]);
  return world;
}

async function draw(world: string, ...options: readonly string[]): Promise<Pixels> {
  const file = join(folder, "picture.png");
  const { exitCode, errors } = await capture(["map", world, "-o", file, "--force", ...options]);
  expect(errors).toBe("");
  expect(exitCode).toBe(EXIT.ok);
  return readPng(file);
}

beforeAll(async () => {
  folder = await temporaryFolder();
  tiles = await make("tiles", "--set", "thickness=4");
  hills = await make("terrain");
  isles = await make("platforms", "--generator", "flat");
  const flat = await openWorldEngine(new NodeDisk(tiles));
  await flat.set([2, 1, 0, 0], 11);
  await flat.set([40, -1, 0, 0], 0);
  await flat.close();
  const four = await openWorldEngine(new NodeDisk(isles));
  await four.fill({ min: [0, 0, 0, 2], max: [2, 6, 2, 3] }, 11);
  await four.fill({ min: [4, 0, 0, 5], max: [5, 1, 1, 6] }, 13);
  await four.close();
});

describe("map", () => {
  test("shows a two-dimensional world pixel by pixel, with y up, in the colours of the catalog", async () => {
    const { width, height, at } = await draw(tiles, "--box", "0,-6..64,3", "--scale", "1");
    expect([width, height]).toEqual([64, 9]);
    const column = (x: number): readonly string[] => Array.from({ length: 9 }, (_, y) => at(x, y));
    const [air, grass, brick] = [".", "5fa045", "a84a3a"];
    expect(column(0)).toEqual([air, air, air, grass, grass, grass, grass, air, air]);
    expect(column(2)).toEqual([air, brick, air, grass, grass, grass, grass, air, air]);
    expect(column(40)).toEqual([air, air, air, air, grass, grass, grass, air, air]);
  });

  test("draws voxels at the requested scale, over a background", async () => {
    const { width, at } = await draw(tiles, "--box", "0,0..4,4", "--scale", "3", "--background", "87ceeb");
    expect(width).toBe(12);
    expect([at(5, 6), at(6, 6), at(8, 8), at(9, 8)]).toEqual(["87ceeb", "a84a3a", "a84a3a", "87ceeb"]);
  });

  test("shows a three-dimensional world from above, with shaded slopes, and cuts it on request", async () => {
    const box = "-32,-64,-32,0..32,96,32,1";
    const seen = await draw(hills, "--box", box, "--scale", "1");
    const colours = new Set<string>();
    for (let x = 0; x < 64; x++) for (let y = 0; y < 64; y++) colours.add(seen.at(x, y));
    expect(colours.has(".")).toBe(false);
    expect(colours.size, "shades of few blocks").toBeGreaterThan(12);

    const cut = await draw(hills, "--slice", "z=0", "--box", box, "--scale", "1");
    expect([cut.width, cut.height]).toEqual([64, 160]);
    expect(cut.at(32, 0), "the sky").toBe(".");
    const world = await openWorldEngine(new NodeDisk(hills), { readOnly: true });
    for (const [x, y] of [
      [0, -40],
      [5, 0],
      [-20, 2],
      [17, 5],
    ] as const) {
      const colour = world.catalog.byId(await world.get([x, y, 0, 0]))?.colour ?? 0;
      const expected = colour === 0 ? "." : colour.toString(16).padStart(6, "0");
      expect(cut.at(x + 32, 95 - y), `[${x}, ${y}]`).toBe(expected);
    }
    await world.close();
  });

  test("shows the journal's changes over the save, even where a chunk is generated again", async () => {
    const folder = await makeSampleWorld();
    const picture = (name: string): Promise<unknown> =>
      capture([
        "map",
        folder,
        "--box",
        "-112,90,0,0..16,110,8,1",
        "--scale",
        "1",
        "--output",
        `${folder}-${name}`,
      ]);
    await picture("before");
    const world = await openWorldEngine(new NodeDisk(folder), { durability: "journal", autosave: false });
    await world.fill({ min: [0, 100, 0, 0], max: [4, 104, 4, 1] }, 0);
    await world.set([-100, 101, 0, 0], 11);
    await world.set([8, 104, 4, 0], 12);
    await picture("waiting");
    await world.close();
    await picture("saved");
    const [before, waiting, saved] = await Promise.all(
      ["before", "waiting", "saved"].map((name) => readFile(`${folder}-${name}`)),
    );
    expect(waiting).toEqual(saved);
    expect(waiting).not.toEqual(before);
  });

  test("shows a four-dimensional world at one position along w, or at several in one picture", async () => {
    const box = "-4,-8,-4,0..12,8,12,1";
    const two = await draw(isles, "--slice", "w=2", "--box", box, "--scale", "1");
    const five = await draw(isles, "--slice", "w=5", "--box", box, "--scale", "1");
    expect(two.at(5, 5)).not.toBe(five.at(5, 5));
    expect(five.at(8, 4)).not.toBe(two.at(8, 4));
    const sheet = await draw(isles, "--slice", "w=2,5", "--box", box, "--scale", "1");
    expect(sheet.width).toBe(16 + 8 + 16);
    const labelHeight = sheet.height - 16;
    for (let x = 0; x < 16; x++) {
      for (let y = 0; y < 16; y++) {
        expect(sheet.at(x, labelHeight + y)).toBe(two.at(x, y));
        expect(sheet.at(24 + x, labelHeight + y)).toBe(five.at(x, y));
      }
    }
  });

  test("writes the same bytes each time, and a sensible picture without any options", async () => {
    for (const world of [tiles, hills, isles]) {
      const [one, other] = [join(folder, "one.png"), join(folder, "other.png")];
      const { box } = await captureJson<{ box: object }>("map", world, "-o", one, "--force");
      expect(box).toBeDefined();
      await capture(["map", world, "-o", other, "--force"]);
      expect(await readFile(one)).toEqual(await readFile(other));
    }
  });

  test.each(["clocks", "bytes", "age"])("colours edited chunks by %s", async (kind) => {
    const box = ["--box", "-4,-8,-4,0..12,8,12,1", "--slice", "w=2", "--scale", "1"];
    const plain = await draw(isles, ...box);
    const heat = await draw(isles, ...box, "--heat", kind);
    expect(heat.at(5, 5)).not.toBe(plain.at(5, 5));
    const isGrey = (text: string): boolean =>
      text.slice(0, 2) === text.slice(2, 4) && text.slice(2, 4) === text.slice(4);
    expect(isGrey(heat.at(0, 12)), "no player built there").toBe(true);
    expect(isGrey(heat.at(5, 5))).toBe(false);
  });

  test("fits the picture to the edits of a world that is empty around them", async () => {
    const folder = await temporaryFolder();
    const house = join(folder, "house");
    const world = await createWorld(house, { dimensions: 3, spawn: [8.5, 23, 8.5] });
    await world.fill(box([0, 0, 0], [21, 20, 20]), world.blocks.id("brick"));
    await world.close();
    const { output } = await capture(["map", house, "--output", join(folder, "house.png")]);
    // Two chunks of 16 voxels, and a margin of 4.
    expect(output).toContain("shows voxels [-4, -128, -4] to [36, 160, 36]\n");
  });

  test("replaces a file only on request, and leaves no partial file", async () => {
    const inside = await temporaryFolder();
    const file = join(inside, "map.png");
    expect((await capture(["map", tiles, "-o", file])).exitCode).toBe(EXIT.ok);
    const again = await capture(["map", tiles, "-o", file]);
    expect(again.exitCode).toBe(EXIT.failed);
    expect(again.errors).toContain("[ORT_EXISTS]");
    const stop = new AbortController();
    stop.abort(new Error("interrupted"));
    await capture(["map", tiles, "-o", join(inside, "other.png")], { signal: stop.signal });
    expect(await readdir(inside)).toEqual(["map.png"]);
  });

  test.each([
    [["--slice", "q=1"], "is not a slice"],
    [["--slice", "x=1"], "needs two axes"],
    [["--axis", "y"], "nothing to look along"],
    [["--background", "red"], "is not a colour"],
    [["--box", "0,0..99999,4"], "use a smaller --box"],
  ])("rejects %j", async (options, message) => {
    const { exitCode, errors } = await capture(["map", tiles, "-o", join(folder, "never.png"), ...options]);
    expect(exitCode).toBe(EXIT.usage);
    expect(errors).toContain(message);
  });
});
