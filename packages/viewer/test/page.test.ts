import {
  type ChunkShape,
  CUBE_CHUNKS,
  DEFAULT_BLOCKS,
  HYPERCUBE_CHUNKS,
  type Position,
  TILE_CHUNKS,
} from "@orthant/core";
import { MemoryDisk } from "@orthant/disk";
import { createServer, issueToken, type OrthantServer, type ServerOptions } from "@orthant/server";
import { plainPng, zipBytes } from "@orthant/testkit";
import {
  canOpenBrowser,
  openBrowser,
  type Pixel,
  type Screenshot,
  ViewerWindow,
} from "@orthant/testkit/browser";
import { VIEWER_PAGE } from "@orthant/viewer/node";
import { createWorldEngine, type WorldEngine } from "@orthant/world/engine";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";

/** A browser without a graphics card is slow on a busy machine. */
const BROWSER_MS = 120_000;

/** Slow, so that also a slow browser draws several frames in a tick. */
const TICK_MS = 1_000;
const POSES = 8;

declare function requestAnimationFrame(frame: (nowMs: number) => void): void;

/** Runs in the page: returns where a label was in each frame for some time. */
function leftsOfLabel({ text, ms }: { text: string; ms: number }): Promise<number[]> {
  const lefts: number[] = [];
  return new Promise((resolve) => {
    const startMs = Date.now();
    const look = (): void => {
      for (const label of orthant.host.shadowRoot.getElementById("labels").children)
        if (label.textContent === text) lefts.push(label.getBoundingClientRect().left);
      if (Date.now() - startMs < ms) requestAnimationFrame(look);
      else resolve(lefts);
    };
    look();
  });
}

declare const location: { readonly href: string };
declare const orthant: {
  readonly viewer: { readonly slice: { readonly hidden: number; readonly at: number } };
  readonly host: { readonly shadowRoot: { getElementById(id: string): PageElement } };
};

interface PageElement {
  readonly children: Iterable<PageElement>;
  readonly textContent: string;
  getBoundingClientRect(): { readonly left: number };
}

const STONE = 1;
const BRICK = 11;
const SAND = 4;
const GOLD = 10;
const LEAVES = 7;
const LAMP = 13;
/** Near the middle; the crosshair is in the exact middle. */
const MIDDLE = [325, 195] as const;
/** A part of the sky that no overlay covers. */
const SKY = [320, 70] as const;

async function newWorld(
  shape: ChunkShape,
  ...boxes: readonly (readonly [Position, Position, number])[]
): Promise<WorldEngine> {
  const world = await createWorldEngine(new MemoryDisk(), {
    name: "Trial",
    shape,
    autosave: false,
  } as object);
  for (const [min, max, block] of boxes) await world.fill({ min, max }, block);
  onTestFinished(() => world.close());
  return world;
}

async function serve(world: WorldEngine, options: Partial<ServerOptions> = {}): Promise<OrthantServer> {
  const server = await createServer({ world, tickMs: 20, logger: false, page: VIEWER_PAGE, ...options });
  onTestFinished(() => server.close());
  return server;
}

function pageOf({ port }: OrthantServer): string {
  return `http://127.0.0.1:${port}`;
}

function colourOf(block: number): Pixel {
  const colour = DEFAULT_BLOCKS.byId(block)?.colour ?? 0;
  return [colour >>> 16, (colour >>> 8) & 0xff, colour & 0xff];
}

/** Edge of what is looked at, in pixels, and how far the mean of a texture may be from the colour of its block. */
const PATCH = 8;
const TEXTURE = 48;

/** Whether the pixels around a place show a block in any light: their mean has the block's proportions. */
function shows(picture: Screenshot, [left, top]: readonly [number, number], block: number): boolean {
  const pixel = picture.around(left, top, PATCH);
  const colour = colourOf(block);
  const light = pixel.reduce((sum, part) => sum + part, 0) / colour.reduce((sum, part) => sum + part, 0);
  return (
    light > 0.3 &&
    light < 1.3 &&
    pixel.every((part, index) => Math.abs(part - (colour[index] as number) * light) < TEXTURE)
  );
}

describe.skipIf(!canOpenBrowser())("the viewer in Chromium", { timeout: BROWSER_MS }, () => {
  let browser: Browser;

  beforeAll(async () => {
    browser = await openBrowser();
  }, BROWSER_MS);

  afterAll(() => browser?.close());

  async function open(server: OrthantServer, link?: string, showsControls = false): Promise<ViewerWindow> {
    const opened = await ViewerWindow.open(browser, {
      url: pageOf(server),
      ...(link !== undefined && { link }),
      showsControls,
    });
    onTestFinished(async () => {
      expect(opened.complaints).toEqual([]);
      await opened.close();
    });
    return opened;
  }

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

  test("shows the controls on a first visit, and again when the question mark is pressed", async () => {
    const view = await open(await serve(await newWorld(CUBE_CHUNKS)), undefined, true);
    const isOpen = (): Promise<boolean> =>
      view.page.locator("#help").evaluate((help) => help.hasAttribute("open"));
    await view.settled();
    expect(await isOpen()).toBe(true);
    await view.page.click("#close-help");
    expect(await isOpen()).toBe(false);
    await view.page.keyboard.press("?");
    expect(await isOpen()).toBe(true);
  });

  test("places the chosen block with the chosen tool, shows it at once, and undoes it", async () => {
    const world = await newWorld(CUBE_CHUNKS, [[-3, -3, -23, 0], [4, 4, -16, 1], BRICK]);
    const view = await open(await serve(world), "at=0.5,0.5,0.5,0&look=0,0");
    await view.settled();
    await view.page.keyboard.press("b");
    await view.page.click('#palette [data-id="13"]');
    expect(await view.page.getAttribute('[data-tool="place"]', "aria-pressed")).toBe("true");
    const edited = new Promise((resolve) => world.onEdit(resolve));
    await view.page.mouse.click(...MIDDLE);
    await view.sees([0, 0, -16, 0], LAMP);
    await view.settled();
    // The page shows an edit before the server has it.
    await edited;
    expect(await world.get([0, 0, -16, 0])).toBe(LAMP);
    // The lamp, and the ghost of the next one before it: brighter than any brick.
    const lit = (await view.picture()).at(...MIDDLE);
    expect(Math.min(...lit), String(lit)).toBeGreaterThan(150);

    await view.page.keyboard.press("Control+z");
    await view.sees([0, 0, -16, 0], 0);
    await view.page.mouse.click(...MIDDLE, { button: "right" });
    await view.sees([0, 0, -17, 0], 0);
    await view.page.keyboard.press("4");
    await view.page.mouse.click(320 + 30, 200);
    await view.says("block-name", "brick");
  });

  test("edits with a box and with a sphere, each in one edit", async () => {
    const world = await newWorld(CUBE_CHUNKS, [[-9, -9, -23, 0], [10, 10, -16, 1], BRICK]);
    const view = await open(await serve(world), "at=0.5,0.5,0.5,0&look=0,0");
    await view.settled();
    await view.page.keyboard.press("3");
    await view.page.keyboard.press("v");
    await view.page.mouse.click(...MIDDLE);
    await view.sees([1, 1, -18, 0], 0);
    expect(await world.get([2, 1, -18, 0])).toBe(BRICK);
    await view.page.keyboard.press("Control+z");
    await view.sees([1, 1, -18, 0], BRICK);
    for (let press = 0; press < 4; press++) await view.page.keyboard.press("v");
    expect(await view.page.textContent("#brush")).toBe("Sphere 5");
    await view.page.mouse.click(...MIDDLE);
    await view.sees([2, 0, -17, 0], 0);
    expect(await world.get([2, 2, -17, 0]), "a sphere has no corners").toBe(BRICK);
  });

  test("reverts an edit that the server rejects and shows the reason", async () => {
    const world = await newWorld(CUBE_CHUNKS, [[-3, -3, -23, 0], [4, 4, -16, 1], BRICK]);
    const server = await serve(world, { rules: { beforeEdit: () => ({ reject: "this wall is old" }) } });
    const view = await open(server, "at=0.5,0.5,0.5,0&look=0,0");
    await view.settled();
    await view.page.keyboard.press("3");
    await view.page.mouse.click(...MIDDLE);
    await view.says("notice", "this wall is old");
    await view.sees([0, 0, -17, 0], BRICK);
    await expect(view.sees([0, 0, -17, 0], LAMP, 100)).rejects.toThrow("not 13");
    await view.settled();
    expect(shows(await view.picture(), MIDDLE, BRICK)).toBe(true);
  });

  test("says that the server refuses it without a token, accepts one from the visitor, and keeps it out of the address", async () => {
    const world = await newWorld(CUBE_CHUNKS);
    const secret = "a secret of more than thirty-two bytes";
    const server = await serve(world, { auth: { secret } });
    const token = await issueToken(
      { playerId: 7n, role: "viewer", expiresInSeconds: 60 },
      { secret },
      Date.now(),
    );
    const view = await open(server);
    await view.said("only those who have a token");
    await view.page.fill("#token", token);
    await view.page.click("#token-form button");
    await view.said("Here, to look");
    expect(await view.page.isHidden("#tools")).toBe(true);

    const other = await open(server, `token=${token}&at=5,6,7,0`);
    await other.said("Here");
    await other.settled();
    expect(other.page.url()).not.toContain("token");
    expect(other.page.url()).toContain("at=5,6,7");
  });

  test("begins where the visitor was before, and takes a link without the last coordinates", async () => {
    const secret = "a secret of more than thirty-two bytes";
    const server = await serve(await newWorld(CUBE_CHUNKS), { auth: { secret } });
    const claims = { playerId: 7n, role: "builder", expiresInSeconds: 60 } as const;
    const token = await issueToken(claims, { secret }, Date.now());
    const placeAt = async (link: string): Promise<string | undefined> => {
      const view = await open(server, link);
      await view.said("Here");
      await view.settled();
      const place = /at=([^,]+,[^,]+,[^,]+)/.exec(view.page.url())?.[1];
      await expect.poll(() => server.players[0]?.position.slice(0, 3).join()).toBe(place);
      await view.close();
      await expect.poll(() => server.players.length).toBe(0);
      return place;
    };
    const place = await placeAt(`token=${token}`);
    expect(place).toMatch(/^0\.5,/);
    expect(await placeAt(`token=${token}`)).toBe(place);
    expect(await placeAt(`token=${token}&at=5,6,7`)).toBe("5,6,7");
  });

  test("shows the other players with their names, and resumes without a reload when the server comes back", async () => {
    const world = await newWorld(CUBE_CHUNKS, [[-3, -3, -23, 0], [4, 4, -16, 1], BRICK]);
    const first = await serve(world);
    const ada = await open(first, "at=0.5,0.5,0.5,0&look=0,0&name=Ada");
    const bob = await open(first, "at=6.5,3.5,-8.5,0&look=0,0&name=Bob");
    await Promise.all([ada.settled(), bob.settled()]);
    await ada.says("labels", "Bob");
    // The viewer shows the reason for this long: long enough to be seen on a busy machine.
    await first.close({ detail: "a moment, please", retryAfterMs: 4_000 });
    await ada.said("Offline. A moment, please.");

    await world.set([0, 0, -16, 0], GOLD);
    await serve(world, { port: first.port });
    await Promise.all([ada.said("Here"), bob.said("Here")]);
    await Promise.all([ada.sees([0, 0, -16, 0], GOLD), bob.sees([0, 0, -16, 0], GOLD)]);
    await ada.page.keyboard.press("3");
    await ada.page.mouse.click(...MIDDLE);
    await bob.sees([0, 0, -16, 0], 0);
  });

  test("moves what moves in small steps, however seldom its poses arrive", async () => {
    const world = await newWorld(CUBE_CHUNKS, [[-3, -3, -23, 0], [4, 4, -16, 1], BRICK]);
    const server = await serve(world, { tickMs: TICK_MS });
    const sheep = world.entities.spawn({ kind: 1, position: [-8, 0, -12, 0], displayName: "Dolly" });
    const view = await open(server, "at=0.5,0.5,0.5,0&look=0,0");
    await view.settled();
    await view.says("labels", "Dolly");
    let x = -8;
    const walking = setInterval(() => {
      x += 1;
      world.entities.change(sheep.entityId, { position: [x, 0, -12, 0] });
    }, TICK_MS);
    onTestFinished(() => clearInterval(walking));
    const lefts = await view.page.evaluate(leftsOfLabel, { text: "Dolly", ms: POSES * TICK_MS });
    const steps = lefts.slice(1).map((left, index) => left - (lefts[index] as number));
    // One that jumps from pose to pose would move as many times as poses arrive.
    expect(steps.filter((step) => step > 0).length).toBeGreaterThan(2 * POSES);
  });

  test("counts sent and received data, and frames the regions with their clocks", async () => {
    const world = await newWorld(CUBE_CHUNKS, [[-3, -3, -23, 0], [4, 4, -16, 1], BRICK]);
    const view = await open(await serve(world), "at=0.5,0.5,0.5,0&look=0,0");
    await view.settled();
    await view.page.keyboard.press("i");
    await view.page.keyboard.press("g");
    await view.says("labels", /\d+\.\d+/);
    const { bytesIn, patches, heldRegions } = await view.numbers();
    expect(bytesIn).toBeGreaterThan(200);
    expect(patches).toBeGreaterThan(0);
    expect(heldRegions).toBeGreaterThan(100);
    expect(await view.page.textContent("#numbers")).toContain("round trip of an edit");
  });

  test("keeps the visitor's position in the address, before and after a link to it was copied", async () => {
    const view = await open(await serve(await newWorld(CUBE_CHUNKS)), "at=0.5,0.5,0.5,0&look=0,0");
    await view.settled();
    await view.page.keyboard.press("l");
    await view.says("notice", "place");
    const shared = view.page.url();
    await view.page.keyboard.down("w");
    await view.page.waitForFunction((before) => location.href !== before, shared);
    await view.page.keyboard.up("w");
  });

  test("shows whether the visitor orbits", async () => {
    const world = await newWorld(HYPERCUBE_CHUNKS, [[-3, -3, -23, 0], [4, 4, -16, 3], BRICK]);
    const view = await open(await serve(world), "at=0.5,0.5,0.5,0.5&look=0,0&hide=w");
    await view.settled();
    const pressed = (isPressed: boolean): Promise<void> =>
      view.page.locator(`#toggle-orbit[aria-pressed="${isPressed}"]`).waitFor();
    await view.page.keyboard.press("o");
    await pressed(true);
    await view.page.keyboard.press("o");
    await pressed(false);
    await view.page.keyboard.press("o");
    await pressed(true);
    await view.page.keyboard.press("t");
    await pressed(false);
  });
});
