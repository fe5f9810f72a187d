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
import { Sky } from "@orthant/three";
import type { Browser, Page } from "playwright-core";
import { PerspectiveCamera } from "three";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

declare const game: {
  readonly sky: Sky;
  readonly camera: PerspectiveCamera;
  draw(time: number, yaw?: number, pitch?: number, seconds?: number): void;
};

describe("the time of a sky", () => {
  test("goes on by itself, a day in twenty minutes, until the game stops it", () => {
    const sky = new Sky({ time: 0.25 });
    const camera = new PerspectiveCamera();
    sky.update(camera, 300);
    expect(sky.time).toBeCloseTo(0.5);
    sky.update(camera, 900);
    expect(sky.time).toBeCloseTo(0.25);
    sky.dayMinutes = Number.POSITIVE_INFINITY;
    sky.update(camera, 900);
    expect(sky.time).toBeCloseTo(0.25);
    sky.time = -0.1;
    expect(sky.time).toBeCloseTo(0.9);
  });

  test("rejects values that are not times, and says what would be right", () => {
    expect(() => new Sky({ time: Number.NaN })).toThrow("0 is midnight");
    expect(() => new Sky({ dayMinutes: 0 })).toThrow("or Infinity to stop the sun");
    expect(() => Object.assign(new Sky(), { time: "noon" })).toThrow("0 is midnight");
    expect(() => Object.assign(new Sky(), { dayMinutes: -1 })).toThrow("above 0");
  });
});

test("the sky moves with the camera, and its clouds with the wind only", () => {
  const sky = new Sky();
  const camera = new PerspectiveCamera();
  camera.position.set(40, 60, -25);
  sky.update(camera, 0);
  expect(sky.position.toArray()).toEqual([40, 60, -25]);
  expect(sky.uniforms.cloudsFrom.value.toArray()).toEqual([40, 100, -25]);
  sky.update(camera, 10);
  expect(sky.uniforms.cloudsFrom.value.x).toBeLessThan(40);
});

test("three.js's own materials have light by day, and less by night; a sky without lights leaves that to the scene", () => {
  const lightOf = (sky: Sky): number =>
    sky.children.reduce((sum, child) => {
      const { intensity = 0, color } = child as { intensity?: number; color?: { g: number } };
      return sum + intensity * (color?.g ?? 0);
    }, 0);
  expect(lightOf(new Sky({ time: 0.5 }))).toBeGreaterThan(3);
  expect(lightOf(new Sky({ time: 0 }))).toBeLessThan(1.2);
  expect(lightOf(new Sky({ lights: false }))).toBe(0);
});

describe.skipIf(!canOpenBrowser())("the sky in Chromium", () => {
  let browser: Browser;
  let programs: ServedPrograms;
  let page: Page;
  beforeAll(async () => {
    browser = await openBrowser();
    programs = await servePrograms({ sky: fileURLToPath(new URL("./sky-program.mjs", import.meta.url)) });
    page = await browser.newPage({ viewport: { width: 320, height: 200 } });
    page.on("console", (message) => expect.unreachable(message.text()));
    await page.goto(programs.origin);
    await page.waitForFunction(() => "game" in globalThis);
  }, 60_000);
  afterAll(async () => {
    programs?.close();
    await browser?.close();
  });

  async function draw(time: number, yaw = 0, pitch = 0.15): Promise<Screenshot> {
    await page.evaluate(([at, ...turn]) => game.draw(at as number, ...turn), [time, yaw, pitch]);
    return screenshotOf(page, await page.screenshot());
  }
  const brightness = ([red, green, blue]: Pixel): number => red + green + blue;
  const brightest = (shot: Screenshot): number => {
    let most = 0;
    for (let top = 0; top < shot.height; top++)
      for (let left = 0; left < shot.width; left++) most = Math.max(most, brightness(shot.at(left, top)));
    return most;
  };

  test("is blue by day, with a horizon as in the table, and dark by night", async () => {
    const day = await draw(0.5);
    const [red, green, blue] = day.at(160, 120);
    expect(Math.abs(red - 0xbc) + Math.abs(green - 0xdc) + Math.abs(blue - 0xf2)).toBeLessThan(45);
    const [above, night] = [await draw(0.5, 0, 0.9), await draw(0, 0, 0.9)];
    expect(brightness(night.at(160, 100))).toBeLessThan(brightness(above.at(160, 100)) - 250);
  });

  test("shows the sun where it is, the moon opposite, and stars at night only", async () => {
    expect(brightness((await draw(0.27, -Math.PI / 2, 0.1)).at(160, 100))).toBeGreaterThan(680);
    const moon = brightest(await draw(0.77, -Math.PI / 2, 0.13));
    expect(moon, "the moon rises where the sun did").toBeGreaterThan(430);
    expect(moon).toBeGreaterThan(brightest(await draw(0.77, 0, 0.13)) + 60);
    expect(brightest(await draw(0.02, 1, 0.5)), "stars").toBeGreaterThan(280);
  });

  test("fades the ground into the colour of the sky behind it, at dusk on both sides", async () => {
    for (const yaw of [Math.PI / 2, -Math.PI / 2, 0]) {
      const dusk = await draw(0.74, yaw, 0);
      const [above, below] = [dusk.at(40, 97), dusk.at(40, 104)];
      for (const part of [0, 1, 2] as const) expect(Math.abs(above[part] - below[part])).toBeLessThan(8);
    }
    const [towards, away] = [await draw(0.74, Math.PI / 2), await draw(0.74, -Math.PI / 2)];
    expect(towards.at(120, 90)[0]).toBeGreaterThan(away.at(120, 90)[0] + 30);
  });

  test("is blue-green everywhere under water", async () => {
    await page.evaluate(() => Object.assign(game.sky, { isUnderWater: true }));
    const [red, green, blue] = (await draw(0.5, 0, 0.8)).at(160, 60);
    await page.evaluate(() => Object.assign(game.sky, { isUnderWater: false }));
    expect(red).toBeLessThan(green - 30);
    expect(Math.abs(green - blue)).toBeLessThan(50);
  });
});
