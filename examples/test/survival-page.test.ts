import { spawn } from "node:child_process";
import { cp, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { canOpenBrowser, openBrowser } from "@orthant/testkit/browser";
import type { Browser, Page } from "playwright-core";
import { build } from "vite";
import { expect, onTestFinished, test } from "vitest";

const EXAMPLE = fileURLToPath(new URL("../survival", import.meta.url));
const MODULES = fileURLToPath(new URL("../../node_modules", import.meta.url));
/** The pictures of both windows, for people. */
const BUILD = fileURLToPath(new URL("../../build/", import.meta.url));
const WAIT_MS = 60_000;

/** Builds the page of a copy of the example, and serves it. Returns the links of both players. */
async function serve(): Promise<readonly string[]> {
  const parent = await mkdtemp(join(tmpdir(), "orthant-survival-page-"));
  onTestFinished(() => rm(parent, { recursive: true }));
  const folder = join(parent, "survival");
  await cp(EXAMPLE, folder, { recursive: true });
  await symlink(MODULES, join(folder, "node_modules"));
  await build({
    root: join(folder, "page"),
    configFile: false,
    logLevel: "error",
    build: { outDir: join(folder, "dist"), emptyOutDir: true, chunkSizeWarningLimit: 2_000 },
  });
  const server = spawn(process.execPath, ["server.mjs", "world", "0"], {
    cwd: folder,
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = new Promise((resolve) => server.once("exit", resolve));
  onTestFinished(async () => {
    server.kill("SIGKILL");
    await ended;
  });
  const links: string[] = [];
  for await (const line of createInterface(server.stdout)) {
    const link = / plays at (?<link>.*)$/.exec(line)?.groups?.["link"];
    if (link !== undefined) links.push(link);
    if (links.length === 2) break;
  }
  return links;
}

async function open(browser: Browser, url: string | undefined): Promise<Page> {
  // Without a graphics card, every pixel takes time.
  const context = await browser.newContext({ viewport: { width: 480, height: 320 } });
  onTestFinished(() => context.close());
  const page = await context.newPage();
  page.setDefaultTimeout(WAIT_MS);
  page.on("pageerror", (error) => expect.unreachable(String(error)));
  await page.goto(url ?? "");
  return page;
}

const HOTBAR = ".slots";
const STATUS = ".status";
const CONTENT = "#content";

/** Waits until a part of the page has this text. */
async function reads(page: Page, part: string, text: RegExp): Promise<void> {
  await expect.poll(() => page.locator(part).textContent(), { timeout: WAIT_MS }).toMatch(text);
}

/** Mines until a part of the page has this text. Before each time, another key is pressed, if one is given. */
async function mineUntil(page: Page, part: string, text: RegExp, key?: string): Promise<void> {
  const mine = async (): Promise<string | null> => {
    if (key !== undefined) await page.keyboard.press(key, { delay: 100 });
    await page.keyboard.press("q");
    return page.locator(part).textContent();
  };
  await expect.poll(mine, { timeout: WAIT_MS, interval: 500 }).toMatch(text);
}

/** Waits until the player stands still. */
async function stands(page: Page): Promise<void> {
  const read = (): Promise<string | null> => page.locator("#place").textContent();
  for (let last = await read(); ; ) {
    await page.waitForTimeout(1_500);
    const next = await read();
    if (next === last) return;
    last = next;
  }
}

test.runIf(canOpenBrowser())(
  "two players mine, build, smelt and go home in two windows",
  async () => {
    const [adasLink, bobsLink] = await serve();
    const browser = await openBrowser();
    onTestFinished(() => browser.close());
    const [ada, bob] = [await open(browser, adasLink), await open(browser, bobsLink)];
    await reads(ada, HOTBAR, /plank 2500.*sand 64.*furnace 1/);
    await reads(bob, HOTBAR, /plank 2500/);

    // The spawn is protected, so Ada runs and jumps until she may mine.
    await mineUntil(ada, STATUS, /protected/, "ArrowDown");
    await ada.keyboard.down("d");
    await ada.keyboard.down(" ");
    await mineUntil(ada, HOTBAR, /(?:rock|turf) [1-9]/);
    await ada.keyboard.up("d");
    await ada.keyboard.up(" ");
    await stands(ada);

    await ada.keyboard.press("6");
    await ada.keyboard.press("e");
    await reads(ada, HOTBAR, /furnace 0/);
    await reads(ada, CONTENT, /^furnace: empty$/);
    await ada.keyboard.press("3");
    await ada.keyboard.press("f");
    await reads(ada, CONTENT, /^furnace: 1 glass$/);
    await ada.keyboard.press("g");
    await reads(ada, HOTBAR, /sand 63.*glass 1/);
    await writeFile(join(BUILD, "survival-ada.png"), await ada.screenshot());

    await ada.keyboard.press("h");
    await reads(ada, STATUS, /^You are home\.$/);
    await writeFile(join(BUILD, "survival-bob.png"), await bob.screenshot());
  },
  240_000,
);
