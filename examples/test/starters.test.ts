import { execFile, spawn } from "node:child_process";
import { cp, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { boxBrush } from "@orthant/client";
import { connect } from "@orthant/client/node";
import {
  canOpenBrowser,
  differingPixels,
  openBrowser,
  type Screenshot,
  screenshotOf,
} from "@orthant/testkit/browser";
import { chunkBox, createWorld, openWorld, terrain } from "orthant";
import type { Browser, Page } from "playwright-core";
import { build } from "vite";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";

declare const document: { querySelector(name: string): { readonly value: string } | null };

const run = promisify(execFile);
const EXAMPLES = fileURLToPath(new URL("..", import.meta.url));
const MODULES = fileURLToPath(new URL("../../node_modules", import.meta.url));
/** Minimum number of changed pixels on the screen after building or digging. */
const SEEN_PIXELS = 60;
const WAIT_MS = 60_000;
/** The picture of the page that draws itself, for people. */
const SCREENSHOT = fileURLToPath(new URL("../../build/draw-it-yourself.png", import.meta.url));

async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "orthant-starter-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  return folder;
}

/** Copies a starter with its dependencies installed, as a user has it. */
async function copyOf(name: string): Promise<string> {
  const folder = join(await temporaryFolder(), name);
  await cp(join(EXAMPLES, name), folder, { recursive: true });
  await symlink(MODULES, join(folder, "node_modules"));
  return folder;
}

test("village has strict types", async () => {
  const compiler = join(MODULES, "typescript/bin/tsc");
  const { stdout } = await run(process.execPath, [compiler, "--project", join(EXAMPLES, "village")]);
  expect(stdout).toBe("");
});

describe("batch-edit", () => {
  test("replaces a block in a box in one edit, which can be reverted", async () => {
    const [folder, starter] = [join(await temporaryFolder(), "world"), await copyOf("batch-edit")];
    await (await createWorld(folder, { dimensions: 3, generator: terrain({ seed: 7n }) })).close();

    const replace = async (): Promise<string> => {
      const parameters = ["replace.mjs", folder, "grass", "snow", "-20,-64,-20", "20,128,20"];
      return (await run(process.execPath, parameters, { cwd: starter })).stdout;
    };
    const count = Number(
      /^(?<count>\d+) voxels of grass are snow now/.exec(await replace())?.groups?.["count"],
    );
    expect(count).toBeGreaterThan(1_000);
    const again = await replace();
    expect(again).toContain("0 voxels of grass are snow now");
    const before = /--from "(?<name>[^"]+)"/.exec(again)?.groups?.["name"] ?? "";

    const world = await openWorld(folder, { dimensions: 3 });
    const snow = world.blocks.id("snow");
    const tops = (column: number): Promise<number[]> =>
      Promise.all(Array.from({ length: 120 }, (_, y) => world.get([column, y - 20, column])));
    expect(await tops(5)).toContain(snow);
    expect(await tops(30)).not.toContain(snow);
    await world.restoreChunks(chunkBox([-2, -4, -2], [2, 8, 2]), before);
    expect(await tops(5)).not.toContain(snow);
    await world.close();
  }, 120_000);
});

describe.skipIf(!canOpenBrowser())("in Chromium", () => {
  let browser: Browser;

  beforeAll(async () => {
    browser = await openBrowser();
  }, 60_000);

  afterAll(() => browser?.close());

  async function open(url: string): Promise<Page> {
    const context = await browser.newContext({ viewport: { width: 1000, height: 900 } });
    onTestFinished(() => context.close());
    const page = await context.newPage();
    page.setDefaultTimeout(WAIT_MS);
    page.on("pageerror", (error) => expect.unreachable(String(error)));
    await page.goto(url);
    return page;
  }

  /** Resolves when the page shows this picture, some frames after its text. */
  async function shows(page: Page, wanted: Screenshot): Promise<void> {
    await expect
      .poll(async () => differingPixels(await picture(page), wanted), {
        timeout: WAIT_MS,
        interval: 200,
      })
      .toBeLessThan(SEEN_PIXELS);
  }

  test("draw-it-yourself falls to the ground, builds, walks, and undoes what it built", async () => {
    const starter = await copyOf("draw-it-yourself");
    await bundle(join(starter, "page"), join(starter, "dist"));
    const { address, page: url } = await serve(starter);
    const page = await open(url);
    await page.setViewportSize({ width: 480, height: 320 }); // without a graphics card, every pixel takes time
    await says(page, /facing nothing, \d{4,} triangles$/);
    const [, height = 0] = await settledPlace(page);
    expect(height, "the top of the grass").toBe(2);

    await hold(page, "ArrowDown", /facing (?!nothing)/);
    const untouched = await settledPicture(page);
    await page.keyboard.press("e");
    await says(page, /facing brick/);
    const built = await settledPicture(page);
    await writeFile(SCREENSHOT, built.png);
    expect(differingPixels(built, untouched)).toBeGreaterThan(SEEN_PIXELS);
    expect(brickPixels(untouched)).toBe(0);
    expect(brickPixels(built)).toBeGreaterThan(SEEN_PIXELS);

    const other = await connect(address, {
      dimensions: 3,
      interest: { center: [-20, height, 12], radius: 16 },
    });
    onTestFinished(() => other.close());
    await other.whenComplete();
    const brick = other.blocks.id("brick");
    const around = boxBrush([-20, height, 12], [9, 3, 9], brick).map(({ position }) => position);
    const bricks = (): number => around.filter((position) => other.voxelAt(position) === brick).length;
    await expect.poll(bricks, { timeout: WAIT_MS }).toBe(1);
    await page.keyboard.press("z");
    await says(page, /facing (?!brick)/);
    await shows(page, untouched);
    await expect.poll(bricks, { timeout: WAIT_MS }).toBe(0);

    await hold(page, "w", /at \S+ \S+ \d\.\d,/);
    expect((await settledPlace(page))[1], "walks over the ground").toBeGreaterThan(0);
  }, 180_000);
});

async function bundle(root: string, outDir: string): Promise<void> {
  await build({ root, configFile: false, logLevel: "error", build: { outDir, emptyOutDir: true } });
}

/** Starts the server of the multiplayer starter. */
async function serve(starter: string): Promise<{ readonly address: string; readonly page: string }> {
  const server = spawn(process.execPath, ["server.mjs", "world", "0"], {
    cwd: starter,
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = new Promise<number | null>((resolve) => server.once("exit", resolve));
  onTestFinished(async () => {
    server.kill("SIGTERM");
    expect(await ended).toBe(0);
  });
  const lines = createInterface(server.stdout)[Symbol.asyncIterator]();
  const lastWord = async (): Promise<string> =>
    String((await lines.next()).value)
      .split(" ")
      .at(-1) ?? "";
  return { address: await lastWord(), page: await lastWord() };
}

async function says(page: Page, text: RegExp): Promise<void> {
  await page.waitForFunction(
    (pattern) => new RegExp(pattern).test(document.querySelector("#status")?.value ?? ""),
    text.source,
  );
}

/** Returns the number of pixels that are as red as brick; wood and sand are far from it. */
function brickPixels(shown: Screenshot): number {
  let count = 0;
  for (let top = 0; top < shown.height; top++) {
    for (let left = 0; left < shown.width; left++) {
      const [red, green] = shown.at(left, top);
      if (red > 60 && red > 1.8 * green) count++;
    }
  }
  return count;
}

/** Holds a key until the page says so. */
async function hold(page: Page, key: string, text: RegExp): Promise<void> {
  await page.keyboard.down(key);
  await says(page, text);
  await page.keyboard.up(key);
}

/** Returns the player's place on the page that draws itself, once it no longer changes and all chunks are drawn. */
async function settledPlace(page: Page): Promise<readonly number[]> {
  const read = async (): Promise<string> => (await page.locator("#status").textContent()) ?? "";
  for (let last = await read(); ; ) {
    await page.waitForTimeout(1_000);
    const next = await read();
    if (next === last) return (next.match(/-?\d+\.\d/g) ?? []).map(Number);
    last = next;
  }
}

async function picture(page: Page, canvas = "canvas"): Promise<Screenshot> {
  return screenshotOf(page, await page.locator(canvas).screenshot());
}

/** Returns a picture that no longer changes. */
async function settledPicture(page: Page, canvas?: string): Promise<Screenshot> {
  for (let last = await picture(page, canvas); ; ) {
    await page.waitForTimeout(500);
    const next = await picture(page, canvas);
    if (differingPixels(next, last) === 0) return next;
    last = next;
  }
}
