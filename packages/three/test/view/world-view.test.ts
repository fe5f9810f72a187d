import type { ClientWorld } from "@orthant/client";
import { box, terrain } from "@orthant/core";
import { MemoryDisk } from "@orthant/disk";
import { createServer } from "@orthant/server";
import { canOpenBrowser } from "@orthant/testkit/browser";
import { createWorld } from "@orthant/world";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import {
  brightness,
  count,
  distance,
  isMagenta,
  mean,
  picture,
  type Tried,
  TriedPages,
} from "./tried-page.ts";

declare const tried: Tried;
declare const client: ClientWorld<3>;
declare const setDoor: (open: "false" | "true") => Promise<unknown>;

const WAIT_MS = 60_000;

describe.skipIf(!canOpenBrowser())("a world in a scene of three.js, in Chromium", () => {
  let pages: TriedPages;

  beforeAll(async () => {
    pages = await TriedPages.start();
  }, WAIT_MS);
  afterAll(() => pages?.close());

  const open = (): Promise<Page> => pages.open(480, 360);

  test("grass, stone and brick have the colours of the look pack, and fog hides where the world ends", async () => {
    const page = await open();
    await page.evaluate(async () => {
      const world = await tried.world({ generator: tried.flat({ top: 2 }) });
      await world.fill(tried.box([-3, 2, -6], [0, 6, -5]), world.blocks.id("brick"));
      await world.fill(tried.box([0, 2, -6], [3, 6, -5]), world.blocks.id("stone"));
      tried.show(world, { viewDistance: 64 });
      tried.look([0, 4, 0]);
    });
    const shown = await picture(page);
    const [brickRed, brickGreen, brickBlue] = mean(shown, [180, 100, 230, 180]);
    expect(brickRed).toBeGreaterThan(brickGreen * 1.3);
    expect(brickRed).toBeGreaterThan(brickBlue * 1.3);
    const [red, green, blue] = mean(shown, [250, 100, 300, 180]);
    expect(Math.max(red, green, blue) - Math.min(red, green, blue)).toBeLessThan(20);
    const [grassRed, grassGreen, grassBlue] = mean(shown, [20, 320, 120, 355]);
    expect(
      [grassRed, grassGreen, grassBlue].map((part, at) => Math.abs(part - ([101, 153, 73][at] ?? 0))),
    ).toSatisfy((differences: number[]) => differences.every((difference) => difference < 22));
    const sky = shown.at(20, 150);
    const horizon = shown.at(20, 185);
    expect(distance(sky, horizon), "land that is far away looks like the sky").toBeLessThan(12);
  });

  test("a lamp lights its room, and nothing behind a wall", async () => {
    const page = await open();
    await page.evaluate(async () => {
      const world = await tried.world({ generator: tried.flat({}) });
      const { blocks } = world;
      await world.fill(tried.box([-10, 0, -12], [10, 6, 4]), blocks.id("stone"));
      await world.fill(tried.box([-9, 1, -11], [9, 5, 3]), 0);
      await world.fill(tried.box([0, 1, -11], [1, 5, 0]), blocks.id("stone"));
      await world.set([-5, 1, -9], blocks.id("lamp"));
      tried.show(world, { viewDistance: 48 });
      tried.look([0.5, 3, 2.5], 0, -15);
    });
    const shown = await picture(page);
    const lit = brightness(mean(shown, [60, 162, 110, 178]));
    const dark = brightness(mean(shown, [340, 162, 390, 178]));
    expect(lit).toBeGreaterThan(70);
    expect(dark, "dark, but not black").toBeGreaterThan(12);
    expect(dark).toBeLessThan(lit / 2);
  });

  test("a door turns with its property, and an edit shows within two pictures", async () => {
    const page = await open();
    await page.evaluate(async () => {
      const world = await tried.world({ generator: tried.flat({}) });
      const { door } = await world.defineBlocks({
        door: { colour: 0x8b_5a_2b, properties: { facing: ["north", "south"], open: ["false", "true"] } },
      });
      await world.fill(tried.box([-6, 0, -5], [7, 6, -4]), world.blocks.id("brick"));
      const setDoor = (open: "false" | "true"): Promise<unknown> =>
        world.set([0, 0, -2], door?.id({ facing: "south", open }) ?? 0);
      await setDoor("false");
      Object.assign(globalThis, { setDoor });
      tried.show(world, { viewDistance: 32 });
      tried.look([0.5, 0.6, 0]);
    });
    const closed = mean(await picture(page), [235, 170, 245, 190]);
    const frames = await page.evaluate(async () => {
      const before = [...tried.view.children];
      await setDoor("true");
      return tried.framesUntil(() => before.some(({ parent }) => parent === null));
    });
    // Pictures without a graphics card take longer than the work.
    expect(frames).toBeLessThanOrEqual(3);
    const opened = mean(await picture(page), [235, 170, 245, 190]);
    expect(distance(closed, opened)).toBeGreaterThan(30);
    expect(opened[0], "the bricks behind").toBeGreaterThan(opened[1] * 1.25);
  });

  test("the ground is seen through water, and the sky on it at a flat angle", async () => {
    const page = await open();
    await page.evaluate(async () => {
      const world = await tried.world({ generator: tried.flat({}) });
      const { blocks } = world;
      await world.fill(tried.box([-8, -1, -8], [0, 0, 8]), blocks.id("brick"));
      await world.fill(tried.box([0, -1, -8], [8, 0, 8]), blocks.id("snow"));
      await world.fill(tried.box([-8, 0, -8], [8, 1, 8]), blocks.id("water"));
      tried.show(world, { viewDistance: 32 });
      tried.look([0, 6, 0], 0, -89);
    });
    const above = await picture(page);
    const overBrick = mean(above, [60, 140, 180, 220]);
    const overSnow = mean(above, [300, 140, 420, 220]);
    expect(overSnow[1]).toBeGreaterThan(overBrick[1] + 15);
    expect(overSnow[2], "it is blue").toBeGreaterThan(overSnow[0] + 20);
    await page.evaluate(() => tried.look([0, 1.3, 7.5], 0, 0));
    const flat = mean(await picture(page), [200, 186, 280, 192]);
    expect(brightness(flat)).toBeGreaterThan(brightness(overBrick) + 25);
  });

  test("no sky shows between the faces of hills", async () => {
    const page = await open();
    await page.evaluate(async () => {
      const world = await tried.world({ generator: tried.terrain({ seed: 7n }) });
      tried.background("#ff00ff");
      tried.show(world, { viewDistance: 64 });
    });
    for (const [place, yaw, pitch] of [
      [[8, 36, 8], 30, -80],
      [[-31, 38.2, 64], 200, -75],
    ] as const) {
      await page.evaluate(([at, turn, tilt]) => tried.look(at, turn, tilt), [place, yaw, pitch] as const);
      const shown = await picture(page);
      expect(count(shown, isMagenta)).toBe(0);
    }
  }, 120_000);

  test("rays find the voxel, the one before it and the side, also in a view that was moved", async () => {
    const page = await open();
    const found = await page.evaluate(async () => {
      const world = await tried.world({ generator: tried.flat({}) });
      const view = tried.show(world, { viewDistance: 32 });
      view.position.set(100, 0, 0);
      tried.look([103.5, 2, 4.5], 0, -60);
      await tried.complete();
      const { camera } = tried;
      const hit = view.pick({ camera, point: { x: 0, y: 0 } });
      tried.look([103.5, 2, 4.5], 0, 60);
      const none = view.pick({ camera, point: { x: 0, y: 0 } });
      return {
        position: hit?.position,
        adjacent: hit?.adjacent,
        side: hit?.side,
        point: hit?.point.toArray(),
        none,
      };
    });
    expect(found).toMatchObject({ position: [3, -1, 3], adjacent: [3, 0, 3], side: "+y", none: undefined });
    expect(found.point?.[0]).toBeCloseTo(103.5);
    expect(found.point?.[1]).toBeCloseTo(0);
  });

  test("a ray goes through water to its ground, unless an option stops it there", async () => {
    const page = await open();
    const found = await page.evaluate(async () => {
      const world = await tried.world({ dimensions: 3, generator: tried.flat({}) });
      const water = world.blocks.id("water");
      await world.set([3, 0, 3], water);
      const view = tried.show(world, { viewDistance: 32 });
      tried.look([3.5, 3, 3.5], 0, -89);
      await tried.complete();
      const ray = { camera: tried.camera, point: { x: 0, y: 0 } };
      const stopsAt = (block: number): boolean => block === water;
      return [view.pick(ray), view.pick(ray, 8, { stopsAt })].map((hit) => [hit?.position, hit?.adjacent]);
    });
    expect(found).toEqual([
      [
        [3, -1, 3],
        [3, 0, 3],
      ],
      [
        [3, 0, 3],
        [3, 1, 3],
      ],
    ]);
  });

  test("worlds of two dimensions and slices of four are shown, and a slice may be changed", async () => {
    const page = await open();
    await page.evaluate(async () => {
      const world = await tried.world({ dimensions: 4, generator: tried.flat({}) });
      await world.set([0, 1, -4, 0] as never, world.blocks.id("brick"));
      await world.set([0, 1, -4, 3] as never, world.blocks.id("sand"));
      tried.show(world, { viewDistance: 32 });
      tried.look([0.5, 1.5, 0]);
    });
    const [red, green] = mean(await picture(page), [230, 170, 250, 190]);
    expect(red).toBeGreaterThan(green * 1.25);
    const left = await page.evaluate(() => {
      tried.view.slice = { right: 0, up: 1, back: 2, hidden: 3, at: 3 };
      tried.view.update(tried.camera);
      return { drawn: tried.view.children.length, isComplete: tried.view.isComplete };
    });
    expect(left.drawn, "the slice before stays until the next one is there").toBeGreaterThan(0);
    expect(left.isComplete).toBe(false);
    const [sandRed, sandGreen] = mean(await picture(page), [230, 170, 250, 190]);
    expect(sandGreen).toBeGreaterThan(sandRed * 0.8);
    const position = await page.evaluate(
      () => tried.view.pick({ camera: tried.camera, point: { x: 0, y: 0 } })?.position,
    );
    expect(position).toEqual([0, 1, -4, 3]);

    await page.evaluate(async () => {
      const world = await tried.world({ dimensions: 2, generator: tried.flat({}) });
      await world.set([0, 0] as never, world.blocks.id("brick"));
      tried.show(world, { viewDistance: 32 });
      tried.look([0.5, 0.5, 5]);
    });
    const [flatRed, flatGreen] = mean(await picture(page), [230, 170, 250, 190]);
    expect(flatRed).toBeGreaterThan(flatGreen * 1.25);
  });

  test("a world of a server arrives, changes with others' edits, and leaves nothing where it goes", async () => {
    const world = await createWorld(new MemoryDisk(), { dimensions: 3, generator: terrain({ seed: 7n }) });
    onTestFinished(() => world.close());
    const server = await createServer({ world, port: 0, origins: [pages.programs.origin], logger: false });
    onTestFinished(() => server.close());
    const page = await open();
    await page.evaluate(async (url) => {
      const client = await tried.connect(url);
      Object.assign(globalThis, { client });
      tried.show(client, { viewDistance: 48 });
      tried.look([8.5, 60, 8.5], 0, -89);
    }, server.url);
    await picture(page);
    const before = await page.evaluate(() => tried.view.stats.triangles);
    expect(before).toBeGreaterThan(1_000);

    await world.fill(box([0, 50, 0], [16, 51, 16]), world.blocks.id("brick"));
    await page.waitForFunction(() => client.voxelAt([3, 50, 3]) !== 0);
    const [red, green] = mean(await picture(page), [200, 140, 280, 220]);
    expect(red).toBeGreaterThan(green * 1.25);

    const frames = await page.evaluate(async () => {
      const { triangles } = tried.view.stats;
      void client.set([8, 52, 8], client.blocks.id("lamp"));
      return tried.framesUntil(() => tried.view.stats.triangles !== triangles);
    });
    expect(frames).toBeLessThanOrEqual(3);

    const left = await page.evaluate(async () => {
      tried.view.viewDistance = 0;
      tried.look([8.5, 600, 8.5]);
      await tried.framesUntil(() => tried.view.children.length === 0);
      return [tried.view.children.length, tried.renderer.info.memory.geometries, tried.view.stats.bytes];
    });
    expect(left).toEqual([0, 0, 0]);
  });

  test("a view that is disposed leaves nothing on the graphics card, and no worker", async () => {
    const page = await open();
    const left = await page.evaluate(async () => {
      const { memory } = tried.renderer.info;
      const before = { ...memory };
      const world = await tried.world({ generator: tried.terrain({ seed: 7n }) });
      for (let time = 0; time < 3; time++) {
        const view = tried.show(world, { viewDistance: 48 });
        tried.look([8, 40, 8], 0, -30);
        await tried.complete();
        view.dispose();
      }
      await tried.drawn();
      return { before, after: { ...memory } };
    });
    expect(left.after).toEqual(left.before);
  });
});
