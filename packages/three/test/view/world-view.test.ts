import { fileURLToPath } from "node:url";
import {
  canOpenBrowser,
  openBrowser,
  type Pixel,
  type Screenshot,
  type ServedPrograms,
  screenshotOf,
  servePrograms,
} from "@orthant/testkit/browser";
import type { WorldView } from "@orthant/three";
import type { World } from "@orthant/world";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";

type Point = readonly [number, number, number];

/** What the page offers. */
interface Tried {
  readonly view: WorldView;
  readonly renderer: {
    readonly info: { readonly memory: { readonly geometries: number; readonly textures: number } };
  };
  complete(): Promise<void>;
  drawn(frames?: number): Promise<void>;
  world(options?: object): Promise<World<3>>;
  show(world: object, options?: object): WorldView;
  look(at: Point, yaw?: number, pitch?: number): void;
  box: (min: Point, max: Point) => never;
  flat: (options: object) => object;
  terrain: (options: object) => object;
}
declare const tried: Tried;

const program = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
const WAIT_MS = 60_000;

describe.skipIf(!canOpenBrowser())("a world in a scene of three.js, in Chromium", () => {
  let browser: Browser;
  let programs: ServedPrograms;

  beforeAll(async () => {
    browser = await openBrowser();
    programs = await servePrograms({
      page: program("./page-program.mjs"),
      worker: program("../../../worker-pool/src/browser/mesh-worker.ts"),
    });
  }, WAIT_MS);
  afterAll(async () => {
    programs?.close();
    await browser?.close();
  });

  async function open(): Promise<Page> {
    const context = await browser.newContext({ viewport: { width: 480, height: 360 } });
    onTestFinished(() => context.close());
    const page = await context.newPage();
    page.on("pageerror", (error) => expect.unreachable(String(error)));
    page.on("console", (message) => {
      if (message.type() === "error") expect.unreachable(message.text());
    });
    await page.goto(programs.origin);
    await page.waitForFunction(() => "tried" in globalThis);
    return page;
  }

  /** Takes a picture once everything in sight is in it. */
  async function picture(page: Page): Promise<Screenshot> {
    await page.evaluate(() => tried.complete());
    return screenshotOf(page, await page.screenshot());
  }

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

  function mean(
    shown: Screenshot,
    [left, top, right, bottom]: readonly [number, number, number, number],
  ): Pixel {
    const sums: [number, number, number] = [0, 0, 0];
    for (let row = top; row < bottom; row++)
      for (let column = left; column < right; column++)
        for (const [part, value] of shown.at(column, row).entries())
          sums[part as 0] += value / ((right - left) * (bottom - top));
    return sums;
  }

  function distance(one: Pixel, other: Pixel): number {
    return Math.hypot(...one.map((part, at) => part - (other[at] ?? 0)));
  }
});
