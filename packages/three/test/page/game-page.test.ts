import { fileURLToPath } from "node:url";
import {
  canOpenBrowser,
  openBrowser,
  type ServedPrograms,
  screenshotOf,
  servePrograms,
} from "@orthant/testkit/browser";
import type { Browser, BrowserContextOptions, CDPSession, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";

interface Game {
  readonly page: {
    readonly hotbar: { readonly chosen: number };
    readonly isPaused: boolean;
    readonly settings: { readonly values: Readonly<Record<string, number>> };
    readonly sounds: {
      readonly isSounding: boolean;
      volume: number;
      start(): void;
      dispose(): void;
      play(kind: string, material: string): void;
      surround: (surroundings: object) => void;
    };
    readonly controls: { readonly yaw: number; readonly pitch: number; isFlying: boolean };
    begin(...values: unknown[]): void;
    look(orientation: readonly number[]): void;
    dispose(): void;
  };
  readonly done: string[];
  readonly state: {
    readonly position: readonly number[];
    readonly isFlying: boolean;
    readonly onGround: boolean;
  };
  readonly hour: number;
  readonly world: object;
  pictureOf(name: string): readonly number[];
}
declare const game: Game;
declare const document: {
  readonly querySelector: (name: string) => {
    readonly shadowRoot: { querySelectorAll(name: string): Iterable<Box> };
  };
};
interface Box {
  getBoundingClientRect(): { left: number; top: number; right: number; bottom: number; width: number };
}
/** Sounds are rendered into a buffer instead of played. */
declare const rendered: { startRendering(): Promise<{ getChannelData(channel: number): Float32Array }> };
declare const OfflineAudioContext: new (channels: number, length: number, rate: number) => object;

const PHONE: BrowserContextOptions = {
  viewport: { width: 390, height: 844 },
  hasTouch: true,
  isMobile: true,
};
const WAIT = { timeout: 20_000, interval: 30 };

describe.skipIf(!canOpenBrowser())("the page of a game, in Chromium", () => {
  let browser: Browser;
  let programs: ServedPrograms;

  beforeAll(async () => {
    browser = await openBrowser();
    programs = await servePrograms({ page: fileURLToPath(new URL("./page-program.mjs", import.meta.url)) });
  }, 60_000);
  afterAll(async () => {
    programs?.close();
    await browser?.close();
  });

  async function open(options: BrowserContextOptions = {}): Promise<Page> {
    const context = await browser.newContext({ viewport: { width: 800, height: 500 }, ...options });
    onTestFinished(() => context.close());
    const page = await context.newPage();
    page.on("pageerror", (error) => expect.unreachable(String(error)));
    await load(page);
    return page;
  }

  async function load(page: Page): Promise<void> {
    await page.goto(programs.origin);
    await page.waitForFunction(() => "game" in globalThis && game.state.onGround);
  }

  const done = (page: Page): Promise<readonly string[]> => page.evaluate(() => game.done);
  const position = (page: Page): Promise<readonly number[]> => page.evaluate(() => game.state.position);

  test("keys walk, jump, dig, place and choose, and a key of the game does what the game says", async () => {
    const page = await open();
    await page.keyboard.down("w");
    await expect.poll(async () => (await position(page))[2], WAIT).toBeLessThan(-1);
    await page.keyboard.up("w");
    await page.keyboard.down(" ");
    await expect.poll(async () => (await position(page))[1], WAIT).toBeGreaterThan(1.3);
    await page.keyboard.up(" ");
    await page.keyboard.press("7");
    await page.keyboard.press("e");
    await page.keyboard.press("q");
    await page.keyboard.press("h");
    expect(await done(page)).toEqual(["place brick 0.0 0.0", "dig 0.0 0.0", "home"]);
    await page.keyboard.down("ArrowRight");
    await expect.poll(() => page.evaluate(() => game.page.controls.yaw), WAIT).toBeLessThan(-0.2);
  });

  test("the mouse looks around once the page has it, digs and builds, and its wheel chooses", async () => {
    const page = await open();
    await page.mouse.click(400, 250);
    await page.waitForFunction("document.pointerLockElement !== null");
    expect(await done(page), "the first click only takes the mouse").toEqual([]);
    await page.mouse.move(500, 200);
    await expect.poll(() => page.evaluate(() => game.page.controls.yaw), WAIT).toBeLessThan(-0.1);
    await page.mouse.click(500, 200);
    await page.mouse.click(500, 200, { button: "right" });
    await page.mouse.wheel(0, 100);
    await page.mouse.wheel(0, 100);
    await page.mouse.click(500, 200, { button: "right" });
    expect(await done(page)).toEqual(["dig 0.0 0.0", "place grass 0.0 0.0", "place stone 0.0 0.0"]);
    await page.mouse.down();
    await expect.poll(async () => (await done(page)).length, WAIT).toBeGreaterThan(5);
    await page.mouse.up();
  });

  test("a second press of the jump key begins a flight, which ends on the ground", async () => {
    const page = await open();
    await page.keyboard.press(" ");
    await page.keyboard.down(" ");
    await expect.poll(async () => (await position(page))[1], WAIT).toBeGreaterThan(4);
    expect(await page.evaluate(() => game.state.isFlying)).toBe(true);
    await page.keyboard.up(" ");
    await page.keyboard.down("c");
    await expect.poll(() => page.evaluate(() => game.state.isFlying), WAIT).toBe(false);
  });

  test("the menu opens with Escape, works with the keyboard alone, and the player stands still meanwhile", async () => {
    const page = await open();
    await page.keyboard.down("w");
    await page.keyboard.press("Escape");
    await expect.poll(() => page.evaluate(() => game.page.isPaused), WAIT).toBe(true);
    const focused = (): Promise<unknown> =>
      page.evaluate("document.activeElement.shadowRoot.activeElement.parentElement.textContent");
    await page.waitForTimeout(300);
    const before = await position(page);
    await page.keyboard.press("Tab");
    expect(await focused()).toContain("View distance");
    await page.keyboard.press("ArrowRight");
    for (let tab = 0; tab < 4; tab++) await page.keyboard.press("Tab");
    expect(await focused()).toContain("Volume");
    await page.keyboard.press("Home");
    await page.keyboard.press("Tab");
    await page.keyboard.press("ArrowLeft");
    expect(await page.evaluate(() => [game.hour, game.page.sounds.volume])).toEqual([11.5, 0]);
    expect(Math.abs(((await position(page))[2] ?? 0) - (before[2] ?? 9))).toBeLessThan(0.2);
    await page.keyboard.press("Escape");
    expect(await page.evaluate(() => game.page.isPaused)).toBe(false);
    await page.keyboard.press("Escape");
    await expect.poll(() => page.evaluate(() => game.page.isPaused), WAIT).toBe(true);
    for (let tab = 0; tab < 7; tab++) await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    expect(await done(page)).toEqual(["leave"]);
  });

  test("settings and used hints are kept for the next visit, and damaged ones are not believed", async () => {
    const page = await open();
    expect(await page.locator(".hint").allTextContents()).toEqual([
      "Click look around",
      "W A S D walk",
      "Space jump",
    ]);
    await page.keyboard.press("w", { delay: 100 });
    await page.keyboard.press("Escape");
    await page.keyboard.press("Tab");
    await page.keyboard.press("ArrowRight");
    await load(page);
    expect(await page.locator(".hint").allTextContents()).toEqual([
      "Click look around",
      "Space jump",
      "Left click or Q dig",
    ]);
    expect(await page.evaluate(() => game.page.settings.values["viewDistance"])).toBe(144);
    await page.evaluate(
      `localStorage.setItem("orthant settings A field", '{"volume":7,"fieldOfView":80,"x":1}')`,
    );
    await load(page);
    expect(await page.evaluate(() => game.page.settings.values)).toEqual({
      viewDistance: 128,
      fieldOfView: 80,
      sensitivity: 1,
      brightness: 0.3,
      volume: 0.5,
    });
  });

  test("the hotbar shows the chosen block larger, with its name for a second", async () => {
    const page = await open({ reducedMotion: "reduce" });
    const widths = (): Promise<number[]> =>
      page
        .locator(".slot")
        .evaluateAll((slots) => slots.map((slot) => (slot as unknown as Box).getBoundingClientRect().width));
    await page.keyboard.press("3");
    const [first = 0, , third = 0] = await widths();
    expect(third).toBeGreaterThan(first * 1.15);
    expect(await page.locator(".block-name.shown").textContent()).toBe("stone");
    await expect.poll(() => page.locator(".block-name.shown").count(), WAIT).toBe(0);
    await page.locator(".slot").nth(7).click();
    expect(await page.locator('.slot[aria-selected="true"]').textContent()).toContain("glass");
  });

  test("pictures of blocks have a light top, darker sides in the block's colours, and nothing in the corners", async () => {
    const page = await open();
    const at = (pixels: readonly number[], left: number, top: number): readonly number[] =>
      pixels.slice((top * 64 + left) * 4, (top * 64 + left) * 4 + 4);
    const mean = (pixels: readonly number[], left: number, top: number): readonly number[] => {
      const sums = [0, 0, 0, 0];
      for (let cell = 0; cell < 25; cell++)
        for (const [channel, part] of at(pixels, left + (cell % 5), top + Math.floor(cell / 5)).entries())
          sums[channel] = (sums[channel] ?? 0) + part / 25;
      return sums;
    };
    const stone = await page.evaluate(() => game.pictureOf("stone"));
    const [top = 0, left = 0, right = 0] = [
      mean(stone, 30, 14),
      mean(stone, 15, 38),
      mean(stone, 44, 38),
    ].map(([red]) => red);
    expect(top).toBeGreaterThan(right);
    expect(right).toBeGreaterThan(left);
    expect(at(stone, 1, 1)[3]).toBe(0);
    expect(at(stone, 32, 40)[3]).toBe(255);
    const grass = await page.evaluate(() => game.pictureOf("grass"));
    const [red = 0, green = 0, blue = 0] = mean(grass, 30, 14);
    expect(green).toBeGreaterThan(red * 1.2);
    expect(green).toBeGreaterThan(blue * 1.4);
    const [soilRed = 0, soilGreen = 0] = mean(grass, 15, 46);
    expect(soilRed).toBeGreaterThan(soilGreen);
    const water = await page.evaluate(() => game.pictureOf("water"));
    expect(mean(water, 30, 18)[3], "water is seen through").toBeLessThan(250);
    expect(await page.evaluate(() => game.pictureOf("air").every((part) => part === 0))).toBe(true);
  });

  test("text of the menu and over the picture has a contrast of at least 4.5", async () => {
    const page = await open({ viewport: { width: 800, height: 800 } });
    await page.evaluate(`document.querySelector("canvas").style.background = "#fff"`);
    await page.keyboard.press("1");
    // Again and again, because a name is shown for a second, and a busy machine may take longer for a picture.
    await page.evaluate(`setInterval(() => game.page.hotbar.choose(0), 100)`);
    const hint = await page.locator(".hint").first().boundingBox();
    const name = await page.locator(".block-name").boundingBox();
    await page.waitForTimeout(400);
    const shown = await screenshotOf(page, await page.screenshot());
    for (const box of [hint, name]) expect(contrastIn(shown, box)).toBeGreaterThan(4.5);
    await page.keyboard.press("Escape");
    const menu = await screenshotOf(page, await page.screenshot());
    for (const text of ["Resume", "View distance", "128 m", "Leave"])
      expect([text, contrastIn(menu, await page.getByText(text, { exact: true }).boundingBox())]).toEqual([
        text,
        expect.toSatisfy((contrast: number) => contrast > 4.5),
      ]);
  });

  describe("on a phone", () => {
    /** Presses, moves and lifts fingers. */
    async function fingers(
      page: Page,
    ): Promise<(type: "Start" | "Move" | "End", ...points: [number, number, number][]) => Promise<unknown>> {
      const session: CDPSession = await page.context().newCDPSession(page);
      return (type, ...points) =>
        session.send("Input.dispatchTouchEvent", {
          type: `touch${type}`,
          touchPoints: points.map(([id, x, y]) => ({ id, x, y })),
        });
    }

    test.each([
      ["upright", 390, 844],
      ["sideways", 844, 390],
    ])(
      "held %s, the left thumb walks while the right one looks, tap places and hold digs",
      async (_, width, height) => {
        const page = await open({ ...PHONE, viewport: { width, height } });
        const touch = await fingers(page);
        const [left, low] = [width * 0.2, height * 0.7];
        await touch("Start", [1, left, low]);
        await touch("Move", [1, left, low - 20]);
        await touch("Move", [1, left, low - 60]);
        await expect.poll(async () => (await position(page))[2], WAIT).toBeLessThan(-1);
        // At once: a thumb that rests digs.
        await Promise.all([
          touch("Start", [1, left, low - 60], [2, width * 0.7, height * 0.4]),
          ...[10, 40, 80].map((step) =>
            touch("Move", [1, left, low - 60], [2, width * 0.7 + step, height * 0.4]),
          ),
        ]);
        await expect.poll(() => page.evaluate(() => game.page.controls.yaw), WAIT).toBeLessThan(-0.2);
        await touch("End");
        expect(await done(page)).toEqual([]);

        await touch("Start", [3, width * 0.75, height * 0.25]);
        await touch("End");
        expect(await done(page)).toEqual(["place grass 0.5 0.5"]);
        await touch("Start", [4, width * 0.75, height * 0.25]);
        await expect.poll(() => page.locator(".ring").isVisible(), WAIT).toBe(true);
        await expect.poll(() => done(page), WAIT).toContain("dig 0.5 0.5");
        await touch("End");
        await expect.poll(() => page.locator(".ring").isVisible(), WAIT).toBe(false);
        expect((await done(page)).filter((text) => text.startsWith("place"))).toHaveLength(1);

        const jump = await page.getByLabel("Jump").boundingBox();
        await touch("Start", [5, (jump?.x ?? 0) + 20, (jump?.y ?? 0) + 20]);
        await expect.poll(async () => (await position(page))[1], WAIT).toBeGreaterThan(1.3);
        await touch("End");
        await page.locator(".slot").nth(3).tap();
        expect(await page.locator('.slot[aria-selected="true"]').textContent()).toContain("sand");
      },
    );

    test.each([
      ["upright", 360, 640],
      ["sideways", 740, 360],
    ])("held %s, all parts are on the screen and none covers another", async (_, width, height) => {
      const page = await open({ ...PHONE, viewport: { width, height } });
      const boxes = await page.evaluate(() => {
        const { shadowRoot } = document.querySelector("orthant-page");
        return [".hint", ".menu-button", ".slots", ".stick", ".round.jump"].flatMap((name) =>
          [...shadowRoot.querySelectorAll(name)].map((part) => {
            const { left, top, right, bottom } = part.getBoundingClientRect();
            return { name, left, top, right, bottom };
          }),
        );
      });
      expect(boxes.length).toBeGreaterThan(6);
      for (const [index, one] of boxes.entries()) {
        expect([
          one.name,
          one.left >= 0 && one.top >= 0 && one.right <= width && one.bottom <= height,
        ]).toEqual([one.name, true]);
        for (const other of boxes.slice(index + 1)) {
          const isApart =
            one.right <= other.left ||
            other.right <= one.left ||
            one.bottom <= other.top ||
            other.bottom <= one.top;
          expect([one.name, other.name, isApart]).toEqual([one.name, other.name, true]);
        }
      }
      await page.getByRole("button", { name: "Pause" }).tap();
      const panel = await page.locator(".panel").boundingBox();
      expect((panel?.width ?? 0) <= width - 16).toBe(true);
      await page.getByText("Resume").tap();
      expect(await page.evaluate(() => game.page.isPaused)).toBe(false);
    });
  });

  test("the page is silent until the first gesture, and each family of materials has its own quiet sounds", async () => {
    const page = await open();
    expect(await page.evaluate(() => game.page.sounds.isSounding)).toBe(false);
    await page.keyboard.press("w");
    await expect.poll(() => page.evaluate(() => game.page.sounds.isSounding), WAIT).toBe(true);
    const heard = await page.evaluate(async () => {
      const results: Record<string, { peak: number; crossings: number; end: number }> = {};
      class Recorder extends (OfflineAudioContext as new (
        channels: number,
        length: number,
        rate: number,
      ) => { close?: () => unknown }) {
        constructor() {
          super(1, 44_100, 44_100);
          Object.assign(globalThis, { rendered: this });
        }
        get state(): string {
          return "running";
        }
        resume(): Promise<void> {
          return Promise.resolve();
        }
        override close = (): Promise<void> => Promise.resolve();
      }
      Object.assign(globalThis, { AudioContext: Recorder });
      const { sounds } = game.page;
      sounds.surround = () => undefined; // no wind
      for (const material of ["stone", "wood", "soil", "sand", "glass", "leaf", "water"]) {
        for (const kind of ["step", "hit", "place"]) {
          sounds.dispose();
          sounds.volume = 1;
          sounds.start();
          sounds.play(kind, material);
          const samples = (await rendered.startRendering()).getChannelData(0);
          let [peak, crossings, end, loud] = [0, 0, 0, 0];
          for (let index = 1; index < samples.length; index++) {
            const [before = 0, now = 0] = [samples[index - 1], samples[index]];
            peak = Math.max(peak, Math.abs(now));
            if (Math.abs(now) < 0.002) continue;
            end = index / 44_100;
            loud++;
            if (before < 0 !== now < 0) crossings++;
          }
          results[`${kind} ${material}`] = { peak, crossings: crossings / Math.max(1, loud), end };
        }
      }
      return results;
    });
    for (const [name, { peak, end }] of Object.entries(heard)) {
      expect([name, peak > 0.005 && peak < 0.9]).toEqual([name, true]);
      expect([name, end > 0.02 && end < 0.5]).toEqual([name, true]);
    }
    const pitch = (name: string): number => heard[`hit ${name}`]?.crossings ?? 0;
    for (const high of ["glass", "sand", "leaf"])
      for (const low of ["soil", "wood", "water"])
        expect([high, low, pitch(high) > pitch(low)]).toEqual([high, low, true]);
    expect(heard["step stone"]?.peak).toBeLessThan(heard["hit stone"]?.peak ?? 0);
  });

  test("a game that ends its page leaves nothing, and no key does anything any more", async () => {
    const page = await open();
    await page.evaluate(() => game.page.dispose());
    await page.keyboard.press("q");
    expect(await done(page)).toEqual([]);
    expect(await page.locator("orthant-page").count()).toBe(0);
  });

  test("a player who comes back looks where they looked when they left", async () => {
    const page = await open();
    const angles = await page.evaluate(() => {
      const [sinYaw, cosYaw, sinPitch, cosPitch] = [Math.sin(1), Math.cos(1), Math.sin(-0.2), Math.cos(-0.2)];
      game.page.look([cosYaw * sinPitch, sinYaw * cosPitch, -sinYaw * sinPitch, cosYaw * cosPitch]);
      return [game.page.controls.yaw, game.page.controls.pitch];
    });
    expect(angles[0]).toBeCloseTo(2);
    expect(angles[1]).toBeCloseTo(-0.4);
  });

  test("a tenth block for the hotbar is refused with a sentence", async () => {
    const page = await open();
    const message = await page.evaluate(() => {
      try {
        game.page.begin(game.world, { blocks: Array.from({ length: 10 }, () => "stone") });
        return "";
      } catch (error) {
        return String(error);
      }
    });
    expect(message).toMatch(/10 blocks/);
  });
});

interface Shown {
  at(left: number, top: number): readonly [number, number, number];
}

/** Returns the contrast between the lightest and the darkest pixel of a part of a picture. */
function contrastIn(
  shown: Shown,
  box: { x: number; y: number; width: number; height: number } | null,
): number {
  const inside = box ?? { x: 0, y: 0, width: 0, height: 0 };
  let [darkest, lightest] = [1, 0];
  for (let top = Math.ceil(inside.y) + 3; top < inside.y + inside.height - 3; top++) {
    for (let left = Math.ceil(inside.x) + 8; left < inside.x + inside.width - 8; left++) {
      const light = luminance(shown.at(left, top));
      darkest = Math.min(darkest, light);
      lightest = Math.max(lightest, light);
    }
  }
  return (lightest + 0.05) / (darkest + 0.05);
}

function luminance(pixel: readonly [number, number, number]): number {
  const [red = 0, green = 0, blue = 0] = pixel.map((part) =>
    part <= 10 ? part / 3_295 : ((part / 255 + 0.055) / 1.055) ** 2.4,
  );
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
