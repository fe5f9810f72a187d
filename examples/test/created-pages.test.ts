import { execFile, spawn } from "node:child_process";
import { mkdtemp, readFile, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { isWhole } from "@orthant/disk/files";
import { NodeDisk } from "@orthant/disk/node";
import { verifySave } from "@orthant/save";
import { canOpenBrowser, openBrowser } from "@orthant/testkit/browser";
import { AIR, boxBrush, connect, createWorld, MemoryDisk, openWorld, terrain } from "orthant";
import type { Browser, Page } from "playwright-core";
import { preview } from "vite";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";

const run = promisify(execFile);
const CREATE = fileURLToPath(new URL("../../packages/create-orthant/bin/create-orthant.js", import.meta.url));
const MODULES = fileURLToPath(new URL("../../node_modules", import.meta.url));
const WAIT_MS = 60_000;

describe.skipIf(!canOpenBrowser())("the page of a new project", () => {
  let browser: Browser;

  beforeAll(async () => {
    browser = await openBrowser();
  }, WAIT_MS);

  afterAll(() => browser?.close());

  /** Opens a page, and waits until the player is in the world. */
  async function open(url: string): Promise<Page> {
    // Without a graphics card, every pixel takes time.
    const context = await browser.newContext({ viewport: { width: 480, height: 320 } });
    onTestFinished(() => context.close());
    const page = await context.newPage();
    page.setDefaultTimeout(WAIT_MS);
    page.on("pageerror", (error) => expect.unreachable(String(error)));
    await page.goto(url);
    await page.locator(".menu-button").waitFor();
    return page;
  }

  test("browser keeps what was dug through a reload, an export and an import", async () => {
    const project = await created("browser");
    const server = await preview({
      root: project,
      logLevel: "error",
      preview: { port: 0, host: "127.0.0.1" },
    });
    onTestFinished(() => server.close());
    const page = await open(server.resolvedUrls?.local[0] ?? "");
    const temporary = join(project, "..");
    const dug = async (): Promise<number> => {
      await digDown(page);
      return holesIn((await exportTo(page, temporary)).folder);
    };
    await expect.poll(dug, { timeout: WAIT_MS, interval: 100 }).toBeGreaterThan(0);
    await page.reload();
    await page.locator(".menu-button").waitFor();
    const { archive, folder } = await exportTo(page, temporary);
    expect(isWhole(await verifySave(new NodeDisk(folder)))).toBe(true);
    const holes = await holesIn(folder);
    expect(holes).toBeGreaterThan(0);

    const chooser = page.waitForEvent("filechooser");
    await pressInMenu(page, "Import");
    await (await chooser).setFiles({ name: "island.tar", mimeType: "", buffer: archive });
    await page.waitForURL(/#island$/);
    await page.locator(".menu-button").waitFor();
    expect(await holesIn((await exportTo(page, temporary)).folder)).toBe(holes);
  }, 180_000);

  test.each(["three", "tiles"] as const)(
    "%s shows others who plays, and what was dug",
    async (template) => {
      const { address, page: url } = await serve(await created(template));
      const page = await open(`${url}?name=Ada`);
      const bob = await connect(address, { name: "Bob" });
      onTestFinished(() => bob.close());
      await bob.setInterest({ center: bob.spawn, radius: 32 });
      const dug = new Promise<readonly number[]>((resolve) =>
        bob.onEdit(({ changes }) => resolve([...changes].map(({ block }) => block))),
      );
      let isDug = false;
      void dug.then(() => {
        isDug = true;
      });
      while (!isDug) {
        if (template === "three") await digDown(page);
        else await page.mouse.click(240, 200);
      }
      expect(await dug).toEqual([AIR]);
      const ada = () => bob.entitiesAt().find(({ name }) => name === "Ada");
      await expect.poll(() => ada()?.isPlayer, { timeout: WAIT_MS }).toBe(true);
    },
    180_000,
  );
});

/** Makes a project as `npm create orthant` does, with its packages installed, and builds it. */
async function created(template: string): Promise<string> {
  const parent = await mkdtemp(join(tmpdir(), "orthant-created-"));
  onTestFinished(() => rm(parent, { recursive: true }));
  const project = join(parent, "my-world");
  await run(process.execPath, [CREATE, project, "--template", template]);
  await symlink(MODULES, join(project, "node_modules"));
  await run("npm", ["run", "build"], { cwd: project });
  return project;
}

/** Starts the server of a project. */
async function serve(project: string): Promise<{ readonly address: string; readonly page: string }> {
  const server = spawn(process.execPath, ["dist/server/main.js", "dist/page"], {
    cwd: project,
    env: { ...process.env, PORT: "0" },
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

/** Looks down, and digs out what the player stands on. */
async function digDown(page: Page): Promise<void> {
  await page.keyboard.press("ArrowDown", { delay: 1_000 });
  await page.keyboard.press("q", { delay: 100 });
}

async function pressInMenu(page: Page, label: string): Promise<void> {
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: label }).click();
}

/** Exports the world into a file, and unpacks it into a new folder. */
async function exportTo(
  page: Page,
  parent: string,
): Promise<{ readonly archive: Buffer; readonly folder: string }> {
  const download = page.waitForEvent("download");
  await pressInMenu(page, "Export");
  const folder = await mkdtemp(join(parent, "exported-"));
  const file = `${folder}.tar`;
  await (await download).saveAs(file);
  await run("tar", ["-xf", file, "-C", folder]);
  return { archive: await readFile(file), folder };
}

/** Returns the number of voxels around the player that were dug out. */
async function holesIn(folder: string): Promise<number> {
  const world = await openWorld(folder, { dimensions: 3, readOnly: true });
  const fresh = await createWorld(new MemoryDisk(), { dimensions: 3, generator: terrain({ seed: 7n }) });
  const around = boxBrush([-20, 8, 12], [5, 8, 5], AIR).map(({ position }) => position);
  let holes = 0;
  for (const position of around) {
    if ((await world.get(position)) === AIR && (await fresh.get(position)) !== AIR) holes++;
  }
  await Promise.all([world.close(), fresh.close()]);
  return holes;
}
