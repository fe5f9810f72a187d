import { readdirSync } from "node:fs";
import { openBrowser, screenshotOf, ViewerWindow } from "@orthant/testkit/browser";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { TRY_URL } from "./page-html.ts";
import { type ServedSite, serveSite } from "./serve-site.ts";
import { deadLinks } from "./site-links.ts";
import { firstLoadBytes } from "./site-loads.ts";

/** Bytes that the first load of a page may transfer, compressed as web servers do. */
const LOAD_BYTES_MAX = 500_000;
const PHONE = { width: 360, height: 740 } as const;
/** A busy machine is slow. */
const WAIT_MS = 120_000;
/** A page of the reference of each kind, as typedoc has one layout for all of a kind. */
const API_PAGES =
  /^api\/(?:index|modules\/orthant|classes\/orthant\.ClientWorld|interfaces\/orthant\.World|functions\/orthant\.connect)\.html$/;
const BRICK = 11;

declare const document: {
  readonly documentElement: { readonly scrollWidth: number; readonly clientWidth: number };
};

/** Checks a built site, most of it in a browser. Throws at the first fault, and prints what was measured. */
export async function checkSite(site: string): Promise<void> {
  const dead = deadLinks(site);
  if (dead.length > 0) throw new Error(`${dead.length} dead links:\n${dead.join("\n")}`);
  const all = readdirSync(site, { recursive: true, encoding: "utf8" }).filter((path) =>
    path.endsWith(".html"),
  );
  console.log(`${all.length} pages have no dead link`);
  checkLoads(site, all);
  const pages = all.filter((path) => !path.startsWith("api/") || API_PAGES.test(path));
  const served = await serveSite(site);
  const browser = await openBrowser();
  try {
    await checkWidths(browser, served, pages);
    await checkSearch(browser, served);
    await checkWorld(browser, served);
  } finally {
    await browser.close();
    served.close();
  }
}

/** No page loads too much, even if a browser loads all of its pictures at once. */
function checkLoads(site: string, pages: readonly string[]): void {
  const loads = pages.map((path) => [firstLoadBytes(site, path), path] as const).sort(([a], [b]) => b - a);
  const tooLarge = loads.filter(([bytes]) => bytes > LOAD_BYTES_MAX);
  if (tooLarge.length > 0) {
    const lines = tooLarge.map(([bytes, path]) => `${path} loads ${bytes} bytes`);
    throw new Error(`${lines.join("\n")}\nat most ${LOAD_BYTES_MAX} are allowed`);
  }
  console.log(`the largest first load is ${loads[0]?.join(" bytes, ")}`);
}

/** Each page fits a phone and reports no error. Pictures are left out: pages reserve the room for them. */
async function checkWidths(browser: Browser, served: ServedSite, pages: readonly string[]): Promise<void> {
  const context = await browser.newContext({ viewport: PHONE });
  await context.route(/\.(?:png|svg|webp)$/, (route) => route.abort());
  const page = await context.newPage();
  const errors: string[] = [];
  page.on("pageerror", (error) => errors.push(String(error)));
  for (const path of pages) {
    await page.goto(served.url + path, { waitUntil: "domcontentloaded", timeout: WAIT_MS });
    const excess = await page.evaluate(
      () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
    );
    if (excess > 0) throw new Error(`${path} is ${excess} pixels wider than a screen of ${PHONE.width}`);
    if (errors.length > 0) throw new Error(`${path}: ${errors.join("; ")}`);
  }
  await context.close();
  console.log(`${pages.length} pages fit a screen of ${PHONE.width} pixels`);
}

/** Search finds an error code in the table of errors, and a name in the reference. */
async function checkSearch(browser: Browser, served: ServedSite): Promise<void> {
  const context = await browser.newContext();
  for (const [query, target] of [
    ["ORT_LOCKED", "reference/errors.html#ORT_LOCKED"],
    ["openOrCreateWorld", "api/functions/orthant.openOrCreateWorld.html"],
  ] as const) {
    const page = await context.newPage();
    await page.goto(`${served.url}guides/first-world.html`);
    await page.locator("input[type=search]").fill(query);
    await page.locator(`#results a[href$="${target}"]`).click({ timeout: WAIT_MS });
    await page.waitForURL(served.url + target, { timeout: WAIT_MS });
    await page.close();
  }
  await context.close();
  console.log("search finds an error code and a name of the API");
}

/** The viewer draws, and an edit is there again after a reload. */
async function checkWorld(browser: Browser, served: ServedSite): Promise<void> {
  const url = served.url + TRY_URL.replace(/\/index\.html$/, "");
  const context: BrowserContext = await browser.newContext({ viewport: { width: 640, height: 480 } });
  const before = served.sentBytes;
  const first = await ViewerWindow.open(browser, { url, context });
  await first.settled();
  const bytes = served.sentBytes - before;
  if (bytes > LOAD_BYTES_MAX) throw new Error(`the viewer loads ${bytes} bytes, at most ${LOAD_BYTES_MAX}`);
  const colours = await coloursOf(first.page);
  if (colours < COLOURS_MIN) throw new Error(`the viewer drew only ${colours} colours`);
  const position = [0, 40, 0, 0] as const;
  await first.setVoxel(position, BRICK);
  await first.sees(position, BRICK);
  await first.page.reload();
  await first.sees(position, BRICK);
  if (first.complaints.length > 0) throw new Error(first.complaints.join("; "));
  await context.close();
  console.log(`the viewer draws ${colours} colours after ${bytes} bytes, and an edit survives a reload`);
}

/** Sky, grass, sand and trees in light and shade have hundreds; an empty canvas has one. */
const COLOURS_MIN = 100;

async function coloursOf(page: Page): Promise<number> {
  const picture = await screenshotOf(page, await page.locator("#world").screenshot());
  const colours = new Set<string>();
  for (let top = 0; top < picture.height; top++) {
    for (let left = 0; left < picture.width; left++) colours.add(picture.at(left, top).join());
  }
  return colours.size;
}
