import { box, CUBE_CHUNKS, type Position, TILE_CHUNKS } from "@orthant/core";
import { MemoryDisk } from "@orthant/disk";
import { createServer } from "@orthant/server";
import { canOpenBrowser, openBrowser, ViewerWindow } from "@orthant/testkit/browser";
import { VIEWER_PAGE } from "@orthant/viewer/node";
import { createWorld, type World } from "@orthant/world";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";

/** A browser without a graphics card is slow on a busy machine. */
const BROWSER_MS = 120_000;
const MIDDLE = [325, 195] as const;

const CHEST = { colour: 0x8b5a2b, properties: { facing: ["north", "east"], open: ["no", "yes"] } } as const;

describe.skipIf(!canOpenBrowser())("the inspector of voxels in Chromium", { timeout: BROWSER_MS }, () => {
  let browser: Browser;

  beforeAll(async () => {
    browser = await openBrowser();
  }, BROWSER_MS);

  afterAll(() => browser?.close());

  async function open<D extends 2 | 3>(world: World<D>, link: string): Promise<ViewerWindow> {
    const server = await createServer({ world, tickMs: 20, logger: false, page: VIEWER_PAGE });
    const view = await ViewerWindow.open(browser, { url: `http://127.0.0.1:${server.port}`, link });
    onTestFinished(async () => {
      expect(view.complaints).toEqual([]);
      await view.close();
      await server.close();
      await world.close();
    });
    await view.settled();
    return view;
  }

  test("shows the type, the properties and the data of the voxel at the pointer, and follows its changes", async () => {
    const world = await createWorld(new MemoryDisk(), { dimensions: 3, chunkShape: CUBE_CHUNKS });
    const { chest } = await world.defineBlocks({ chest: CHEST });
    const at: Position<3> = [0, 0, -17];
    await world.fill(box([-3, -3, -23], [4, 4, -16]), world.blocks.id("stone"));
    await world.set(at, chest.id({ facing: "east", open: "no" }), { data: { items: ["a sword"] } });
    const view = await open(world, "at=0.5,0.5,0.5,0&look=0,0");
    expect(await view.page.isHidden("#voxel")).toBe(true);

    await view.page.keyboard.press("x");
    await view.says("voxel-type", "chest");
    expect(await view.page.locator("#voxel-facts > *").allTextContents()).toEqual([
      "at",
      "0, 0, -17",
      "facing",
      "east",
      "open",
      "no",
      "data",
      "22 B",
    ]);
    expect(await view.page.textContent("#voxel-data")).toBe('{"items":["a sword"]}');

    await world.set(at, chest.id({ facing: "north", open: "yes" }));
    await view.says("voxel-facts", "northopenyes");
    await world.setData(at, { items: ["a sword", "\u202eevil"] });
    await view.says("voxel-data", "\\u202eevil");
    await world.setData(at, null);
    await view.says("voxel-facts", "none");
    expect(await view.page.isHidden("#voxel-data")).toBe(true);

    await view.page.mouse.move(MIDDLE[0] + 40, MIDDLE[1]);
    await view.says("voxel-type", "stone");
    await view.page.mouse.move(MIDDLE[0], 90);
    await view.says("voxel-type", "Point at a voxel");
    await view.page.click("#toggle-voxel");
    expect(await view.page.isHidden("#voxel")).toBe(true);
  });

  test("shows the voxel at the pointer on the map of a world of two dimensions", async () => {
    const world = await createWorld(new MemoryDisk(), { dimensions: 2, chunkShape: TILE_CHUNKS });
    await world.set([0, 0], world.blocks.id("lamp"), { data: Uint8Array.of(1, 2, 200) });
    const view = await open(world, "at=0,0,0,0&map=8");
    await view.page.keyboard.press("x");
    await view.page.mouse.move(324, 196);
    await view.says("voxel-type", "lamp");
    expect(await view.page.textContent("#voxel-data")).toBe("0102c8");
    expect(await view.page.textContent("#voxel-facts")).toBe("at0, 0data4 B");
  });
});
