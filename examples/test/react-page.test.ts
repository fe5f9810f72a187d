import { existsSync } from "node:fs";
import { cp, mkdir, mkdtemp, readdir, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { canOpenBrowser, openBrowser, screenshotOf } from "@orthant/testkit/browser";
import type { Page } from "playwright-core";
import { build, preview } from "vite";
import { expect, onTestFinished, test } from "vitest";

const EXAMPLE = fileURLToPath(new URL("../react-three-fiber", import.meta.url));
const MODULES = ["../../node_modules", "../../tools/react/node_modules"].map((path) =>
  fileURLToPath(new URL(path, import.meta.url)),
);
const [WIDTH, HEIGHT] = [320, 200];
const WAIT_MS = 60_000;

const hasReact = MODULES.every((folder) => existsSync(folder));
if (!hasReact) process.stderr.write("React: SKIPPED; npm ci --prefix tools/react installs it\n");

/** Builds the page of a copy of the example, and serves it. */
async function serve(): Promise<string> {
  const parent = await mkdtemp(join(tmpdir(), "orthant-react-"));
  onTestFinished(() => rm(parent, { recursive: true }));
  const root = join(parent, "page");
  await cp(EXAMPLE, root, { recursive: true, filter: (path) => !path.endsWith("node_modules") });
  await mkdir(join(root, "node_modules"));
  for (const folder of MODULES)
    for (const name of await readdir(folder))
      if (!name.startsWith(".") && !existsSync(join(root, "node_modules", name)))
        await symlink(join(folder, name), join(root, "node_modules", name));
  await build({ root, configFile: false, logLevel: "error", build: { chunkSizeWarningLimit: 2_000 } });
  const server = await preview({
    root,
    configFile: false,
    logLevel: "error",
    preview: { port: 0, host: "127.0.0.1" },
  });
  onTestFinished(() => server.close());
  return server.resolvedUrls?.local[0] ?? "";
}

async function says(page: Page, text: RegExp): Promise<void> {
  await expect.poll(() => page.locator("output").textContent(), { timeout: WAIT_MS }).toMatch(text);
}

/** Returns what the page says once everything in sight is drawn. */
async function settled(page: Page): Promise<string> {
  for (let last = ""; ; ) {
    const next = (await page.locator("output").textContent()) ?? "";
    if (next === last) return next;
    last = next;
    await page.waitForTimeout(500);
  }
}

test.skipIf(!hasReact || !canOpenBrowser())(
  "a world is a component of React: it is drawn, dug in, and leaves nothing when it is unmounted",
  async () => {
    const url = await serve();
    const browser = await openBrowser();
    onTestFinished(() => browser.close());
    const page = await browser.newPage({ viewport: { width: WIDTH, height: HEIGHT } });
    page.setDefaultTimeout(WAIT_MS);
    page.on("pageerror", (error) => expect.unreachable(String(error)));
    const picture = async (): ReturnType<typeof screenshotOf> => screenshotOf(page, await page.screenshot());
    await page.goto(url);

    await says(page, /^\d{4,} triangles/);
    const isGround = async (): Promise<boolean> => {
      const [red, green, blue] = (await picture()).at(WIDTH / 2, HEIGHT - 10);
      return green > red && green > blue * 1.2;
    };
    await expect.poll(isGround, { timeout: WAIT_MS }).toBe(true);
    expect(page.workers().length).toBeGreaterThan(0);

    const whole = await settled(page);
    await page.mouse.click(WIDTH / 2, HEIGHT - 40);
    await expect.poll(() => page.locator("output").textContent(), { timeout: WAIT_MS }).not.toBe(whole);

    await page.getByRole("button", { name: "Leave" }).click();
    await says(page, /^12 triangles, 1 geometries, 0 textures$/);
    await expect.poll(() => page.workers().length).toBe(0);
    expect(await isGround()).toBe(false);
  },
  WAIT_MS * 2,
);
