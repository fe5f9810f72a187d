import { type ChildProcess, execFile, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";
import { openBrowser, screenshotOf } from "@orthant/testkit/browser";
import { LOOPBACK } from "@orthant/testkit/nats";
import { packPackages, serveRegistry } from "@orthant/testkit/packages";
import type { Browser, Page } from "playwright-core";
import { atMost, type Figure, told } from "./figure.ts";
import { requireBrowser } from "./missing.ts";
import { sized } from "./size.ts";

const START_BUDGET_S = 120;
/** Minimum number of pixels of a brick that stands before a player. */
const BRICK_PIXELS = sized(60, 15);
const ATTEMPTS = 100;
/** Settings with which npm takes what it has already fetched. */
const FETCHED_BEFORE = { npm_config_prefer_offline: "true", npm_config_audit: "false" };
/** Without a graphics card, every pixel takes time. */
const SIZE = sized({ width: 320, height: 200 }, { width: 160, height: 100 });
/** Share of the page that shows the world alone. */
const WORLD_SHARE = 0.7;
/** The page takes the time of day from the clock; for these windows, it is noon in the middle of its day of 20 minutes. */
const NOON = "{ const start = Date.now(); Date.now = () => 450_000 + start - (start % 1_200_000); }";

/**
 * Question: how long does a stranger wait, from an empty folder until two browser windows edit one world?
 * Runs the commands of the README, with an empty cache of npm and the packed packages. Budget: two minutes.
 */
export async function* startSuite(): AsyncGenerator<Figure> {
  requireBrowser();
  const folder = mkdtempSync(join(tmpdir(), "orthant-start-"));
  const registry = await serveRegistry(packPackages(folder));
  const environment = {
    ...process.env,
    npm_config_registry: registry.url,
    ...sized<NodeJS.ProcessEnv>({ npm_config_cache: join(folder, "cache") }, FETCHED_BEFORE),
    PORT: String(await LOOPBACK.freePort()),
    NO_COLOR: "1",
  };
  const project = join(folder, "my-world");
  const npm = (cwd: string, ...parameters: string[]) =>
    promisify(execFile)("npm", parameters, { cwd, env: environment });
  const begin = performance.now();
  let last = begin;
  const seconds = (since: number): number => (performance.now() - since) / 1_000;
  const step = (name: string, remark: string): Figure => {
    const figure = told(`start/${name}`, seconds(last), "s", remark);
    last = performance.now();
    return figure;
  };
  const browser = await openBrowser();
  let running: ChildProcess | undefined;
  try {
    await npm(folder, "create", "--yes", "orthant@latest", "my-world", "--", "--template", "three");
    yield step("create", "npm create orthant@latest my-world -- --template three");
    await npm(project, "install");
    yield step("install", "npm install, with an empty cache");
    running = spawn("npm", ["run", "dev"], {
      cwd: project,
      env: environment,
      detached: true,
      stdio: ["ignore", "pipe", "inherit"],
    });
    const address = await addressOf(running);
    yield step("dev", "npm run dev, until it prints the page's address");
    await shareBrick(browser, address);
    yield step(
      "shared",
      "two windows of Chromium, without a graphics card, until one shows the other's brick",
    );
    yield atMost("start/all", seconds(begin), "s", START_BUDGET_S, "from an empty folder to a shared brick");
  } finally {
    await browser.close();
    if (running?.pid !== undefined) process.kill(-running.pid, "SIGKILL");
    registry.close();
    rmSync(folder, { recursive: true, maxRetries: 10, retryDelay: 200 });
  }
}

/** Resolves with the address that the development server prints. */
async function addressOf({ stdout }: ChildProcess): Promise<string> {
  if (stdout === null) throw new Error("npm run dev has no output");
  let printed = "";
  for await (const line of createInterface(stdout)) {
    printed += `${line}\n`;
    const address = /http:\/\/localhost:\d+\//.exec(line)?.[0];
    if (address === undefined) continue;
    stdout.resume();
    return address;
  }
  throw new Error(`npm run dev ended:\n${printed}`);
}

/** Opens two windows, builds in one of them, and resolves when the other shows it. */
async function shareBrick(browser: Browser, address: string): Promise<void> {
  const [ada, bob] = await Promise.all([openWindow(browser, address), openWindow(browser, address)]);
  await ada.keyboard.press("4");
  await lookDownUntilBrick(ada, () => ada.keyboard.press("e"));
  await lookDownUntilBrick(bob, async () => undefined);
}

async function openWindow(browser: Browser, address: string): Promise<Page> {
  const context = await browser.newContext({ viewport: SIZE });
  const page = await context.newPage();
  await page.addInitScript(NOON);
  await page.goto(address);
  await page.getByRole("option").first().waitFor({ timeout: 60_000 });
  return page;
}

/** Looks further down and acts until the page shows a brick. */
async function lookDownUntilBrick(page: Page, act: () => Promise<unknown>): Promise<void> {
  await page.bringToFront();
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    if ((await brickPixels(page)) >= BRICK_PIXELS) return;
    // Once the ground fills the picture, only time helps: the player falls, and chunks arrive.
    // The key is down for longer than a picture takes, without a graphics card and beside another window.
    if (attempt < 8) await page.keyboard.press("ArrowDown", { delay: 1_000 });
    await act();
  }
  throw new Error("no brick appeared on the page");
}

/** Returns the number of pixels that are as red as brick; wood and sand are far from it. */
async function brickPixels(page: Page): Promise<number> {
  const shown = await screenshotOf(page, await page.screenshot());
  let count = 0;
  // Below is the hotbar, which always shows one.
  for (let top = 0; top < shown.height * WORLD_SHARE; top++) {
    for (let left = 0; left < shown.width; left++) {
      const [red, green] = shown.at(left, top);
      if (red > 60 && red > 1.8 * green) count++;
    }
  }
  return count;
}
