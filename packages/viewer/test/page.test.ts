import { CUBE_CHUNKS, DEFAULT_BLOCKS, HYPERCUBE_CHUNKS, TILE_CHUNKS } from "@orthant/core";
import { plainPng, zipBytes } from "@orthant/testkit";
import { canOpenBrowser, type Pixel } from "@orthant/testkit/browser";
import { describe, expect, test } from "vitest";
import {
  BRICK,
  BROWSER_MS,
  browserForTests,
  colourOf,
  GOLD,
  LAMP,
  MIDDLE,
  newWorld,
  PATCH,
  serve,
  shows,
} from "./served-page.ts";

declare const location: { readonly href: string };
declare const orthant: {
  readonly viewer: { readonly slice: { readonly hidden: number; readonly at: number } };
};

const STONE = 1;
const SAND = 4;
const LEAVES = 7;
/** A part of the sky that no overlay covers. */
const SKY = [320, 70] as const;

describe.skipIf(!canOpenBrowser())("the viewer in Chromium", { timeout: BROWSER_MS }, () => {
  const open = browserForTests();

  test("shows a three-dimensional world, and the sky where it is empty", async () => {
    const world = await newWorld(CUBE_CHUNKS, [[-3, -3, -23, 0], [4, 4, -16, 1], BRICK]);
    const view = await open(await serve(world), "at=0.5,0.5,0.5,0&look=0,0");
    await view.settled();
    const picture = await view.picture();
    expect(shows(picture, MIDDLE, BRICK), String(picture.at(...MIDDLE))).toBe(true);
    const [red, green, blue] = picture.at(...SKY);
    expect(blue).toBeGreaterThan(red);
    expect(shows(picture, SKY, BRICK), `${red} ${green} ${blue}`).toBe(false);
    // The lower edge is 3.5 voxels down at a distance of 16.5: 71 pixels.
    expect(shows(picture, [325, 200 + 62], BRICK)).toBe(true);
    expect(shows(picture, [325, 200 + 80], BRICK)).toBe(false);
  });

  test("is dark in a cave except around a lamp, and outside at night, and the link keeps the time of day", async () => {
    const world = await newWorld(
      CUBE_CHUNKS,
      [[-20, -20, -40, 0], [21, 21, 10, 1], STONE],
      [[-5, -5, -20, 0], [6, 6, 5, 1], 0],
    );
    const view = await open(await serve(world), "at=0.5,0.5,0.5,0&look=0,0");
    await view.settled();
    const brightness = async (): Promise<number> => {
      await view.settled();
      return (await view.picture()).around(...MIDDLE, PATCH).reduce((sum, part) => sum + part, 0) / 3;
    };
    const dark = await brightness();
    expect(dark).toBeLessThan(60);
    await view.setVoxel([2, 0, -19, 0], LAMP);
    await view.sees([2, 0, -19, 0], LAMP);
    const lit = await brightness();
    expect(lit).toBeGreaterThan(dark + 40);

    const outside = await open(await serve(world), "at=0.5,0.5,40.5,0&look=0,0&time=12");
    await outside.settled();
    const noon = (await outside.picture()).around(...MIDDLE, PATCH)[0];
    await outside.page.click("#next-time");
    await outside.page.click("#next-time");
    await outside.waitFor(() => /&time=0$/.test(location.href));
    await outside.settled();
    expect((await outside.picture()).around(...MIDDLE, PATCH)[0]).toBeLessThan(noon / 2);
  });

  test("draws the world with a dropped resource pack, which it reads itself, and says what is wrong with a damaged one", async () => {
    const world = await newWorld(CUBE_CHUNKS, [[-3, -3, -23, 0], [4, 4, -16, 1], BRICK]);
    const server = await serve(world);
    const view = await open(server, "at=0.5,0.5,0.5,0&look=0,0");
    await view.settled();
    const pack = zipBytes({
      "assets/minecraft/blockstates/brick.json": { variants: { "": { model: "block/brick" } } },
      "assets/minecraft/models/block/brick.json": {
        textures: { all: "block/brick" },
        elements: [
          {
            from: [0, 0, 0],
            to: [16, 16, 16],
            faces: Object.fromEntries(
              ["down", "up", "north", "south", "west", "east"].map((side) => [side, { texture: "#all" }]),
            ),
          },
        ],
      },
      "assets/minecraft/textures/block/brick.png": plainPng(0x20_d0_30),
    });
    const sent = (await view.numbers()).bytesOut;
    await view.drop("damaged.zip", pack.subarray(0, pack.length / 2));
    await view.says("notice", "This resource pack cannot be read");
    await view.drop("nothing.zip", zipBytes({ "pack.mcmeta": {} }));
    await view.says("notice", "no model of any block of this world");
    await view.drop("green.zip", pack);
    const middle = async (): Promise<Pixel> => (await view.picture()).around(...MIDDLE, PATCH);
    await expect
      .poll(
        async () => {
          const [red, green] = await middle();
          return green > 2 * red;
        },
        { timeout: BROWSER_MS },
      )
      .toBe(true);
    expect((await view.numbers()).bytesOut - sent, "no byte of it").toBeLessThan(pack.length);
  });

  test("shows a slice of four dimensions, sweeps it with the wheel, and turns it with a key", async () => {
    const world = await newWorld(
      HYPERCUBE_CHUNKS,
      [[-3, -3, -23, 0], [4, 4, -16, 3], BRICK],
      [[-3, -3, -23, 3], [4, 4, -16, 6], SAND],
      [[-3, -3, 12, -20], [4, 4, 20, -12], LEAVES],
    );
    const view = await open(await serve(world), "at=0.5,0.5,0.5,0.5&look=0,0&hide=w");
    await view.settled();
    expect(shows(await view.picture(), MIDDLE, BRICK)).toBe(true);

    await view.page.mouse.move(320, 200);
    for (let notch = 0; notch < 4; notch++) await view.page.mouse.wheel(0, -100);
    await view.waitFor(() => orthant.viewer.slice.at === 4);
    await view.settled();
    expect(shows(await view.picture(), MIDDLE, SAND)).toBe(true);
    expect(await view.page.textContent("#slice-at")).toBe("w = 4");

    // Now w points to the back and z is hidden: at w from -20 to -12 the leaves are at z from 12 to 20.
    await view.page.keyboard.press("t");
    await view.waitFor(() => orthant.viewer.slice.hidden === 2);
    for (let notch = 0; notch < 14; notch++) await view.page.keyboard.press(".");
    await view.settled();
    expect(shows(await view.picture(), MIDDLE, LEAVES)).toBe(true);
  });

  test("shows the content of the neighbouring slice as a ghost, and only there", async () => {
    const world = await newWorld(HYPERCUBE_CHUNKS, [[-3, -3, -23, 1], [4, 4, -16, 2], BRICK]);
    const view = await open(await serve(world), "at=0.5,0.5,0.5,0.5&look=0,0&hide=w");
    await view.settled();
    const seen = await view.picture();
    await view.page.keyboard.press("h");
    await view.settled();
    const [withGhost, without] = [seen.at(...MIDDLE), (await view.picture()).at(...MIDDLE)];
    expect(withGhost[0] - without[0], `${withGhost} and ${without}`).toBeGreaterThan(8);
    expect(seen.at(320, 300)).toEqual((await view.picture()).at(320, 300));
  });

  test("shows a two-dimensional world in exactly its catalog's colours, eight pixels per voxel", async () => {
    const world = await newWorld(
      TILE_CHUNKS,
      [[0, 0, 0, 0], [1, 1, 1, 1], LAMP],
      [[2, 3, 0, 0], [4, 4, 1, 1], GOLD],
    );
    const view = await open(await serve(world), "at=0,0,0,0&map=8");
    await view.settled();
    const picture = await view.picture();
    const inside = [0, 7].flatMap((x) => [0, 7].map((y) => picture.at(320 + x, 200 - 8 + y)));
    expect(inside).toEqual(inside.map(() => colourOf(LAMP)));
    for (const [x, y] of [
      [-1, -4],
      [8, -4],
      [4, -9],
      [4, 0],
    ] as const) {
      expect(picture.at(320 + x, 200 + y), `${x} ${y}`).toEqual([0x10, 0x14, 0x1f]);
    }
    expect([picture.at(320 + 16, 200 - 25), picture.at(320 + 31, 200 - 32)]).toEqual([
      colourOf(GOLD),
      colourOf(GOLD),
    ]);
  });

  test("shows and offers a block type as soon as the game defines it, and no longer offers a retired one", async () => {
    const world = await newWorld(CUBE_CHUNKS, [[-3, -3, -23, 0], [4, 4, -16, 1], 16]);
    const view = await open(await serve(world), "at=0.5,0.5,0.5,0&look=0,0");
    await view.settled();
    const palette = (): Promise<string[]> => view.page.locator("[role=option] bdi").allTextContents();
    expect(await palette()).toEqual(DEFAULT_BLOCKS.types.slice(1).map(({ name }) => name));
    expect(shows(await view.picture(), MIDDLE, BRICK)).toBe(false);
    const brick = DEFAULT_BLOCKS.byId(BRICK)?.colour ?? 0;
    await world.blocks.define({ "red brick": { colour: brick } });
    await world.blocks.retire("lava");
    await expect.poll(palette).toContain("red brick");
    await expect.poll(palette).not.toContain("lava");
    await view.settled();
    const picture = await view.picture();
    expect(shows(picture, MIDDLE, BRICK), String(picture.at(...MIDDLE))).toBe(true);
  });
});
