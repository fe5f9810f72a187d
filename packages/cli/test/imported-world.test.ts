import { spawn } from "node:child_process";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { canOpenBrowser, openBrowser, ViewerWindow } from "@orthant/testkit/browser";
import { goldenPath, hasGolden } from "@orthant/testkit/golden";
import { orthantCommand } from "@orthant/testkit/process";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { capture, captureJson, temporaryFolder } from "./captured.ts";
import type { Announcement } from "./while-serving.ts";

const ORTHANT = orthantCommand();
const REGION = "imports/minecraft/1.20.6/r.0.0.mca";
/** A browser without a graphics card is slow on a busy machine. */
const BROWSER_MS = 240_000;
/** Snow under the spawn point, dirt elsewhere, and the voxel above the snow. */
const SNOW = [39, 68, 24, 0] as const;
const DIRT = [39, 66, 24, 0] as const;
const ABOVE = [39, 69, 24, 0] as const;
/** Above the spawn point, with a look straight down. */
const LINK = "at=39.5,74.5,24.5,0&look=0,-90";
const STEP_VOXELS = 8;

interface FoundBlock {
  readonly id: number;
  readonly name: string;
}

declare const orthant: { readonly viewer: { readonly position: readonly number[] } };

/** Serves a world in a process of its own while `use` runs, and then stops it by Ctrl-C. Returns its exit code. */
async function whileServed(
  folder: string,
  use: (announcement: Announcement) => Promise<void>,
): Promise<number | null> {
  const argv = [ORTHANT, "serve", folder, "--port", "0", "--json"];
  const child = spawn(process.execPath, argv, { stdio: ["ignore", "pipe", "inherit"] });
  const ended = new Promise<number | null>((resolve) => child.once("close", (code) => resolve(code)));
  try {
    const [line = ""] = await firstLine(child.stdout);
    await use(JSON.parse(line) as Announcement);
  } finally {
    child.kill("SIGINT");
    await ended;
  }
  return ended;
}

async function firstLine(output: NodeJS.ReadableStream): Promise<readonly string[]> {
  for await (const line of createInterface({ input: output })) return [line];
  return [];
}

describe.skipIf(!canOpenBrowser() || !hasGolden(REGION))("an imported world", { timeout: BROWSER_MS }, () => {
  let browser: Browser;
  let folder: string;

  beforeAll(async () => {
    browser = await openBrowser();
    folder = join(await temporaryFolder(), "home");
    const { errors } = await capture(["convert", goldenPath(REGION), folder, "--accept-loss"]);
    expect(errors).toBe("");
  }, BROWSER_MS);

  afterAll(() => browser?.close());

  async function blockAt(voxel: readonly number[]): Promise<FoundBlock> {
    const place = voxel.slice(0, 3).join();
    return (await captureJson<{ readonly block: FoundBlock }>("get", folder, place)).block;
  }

  test("is walked through and built in by a browser, and keeps that when the server starts again", async () => {
    const snow = await blockAt(SNOW);
    const dirt = await blockAt(DIRT);
    expect([snow.name, dirt.name]).toEqual(["minecraft:snow[layers=1]", "minecraft:dirt"]);
    const stopped = await whileServed(folder, async ({ page }) => {
      const [url = "", token = ""] = page.split("/#");
      const walker = await ViewerWindow.open(browser, { url, link: token });
      await walker.said("Here");
      await walker.sees(SNOW, snow.id);
      const before = await walker.page.evaluate(() => orthant.viewer.position);
      await walker.page.keyboard.down("w");
      await walker.page.waitForFunction(
        ([from, least]) =>
          Math.hypot(...orthant.viewer.position.map((at, axis) => at - (from[axis] as number))) > least,
        [before, STEP_VOXELS] as const,
        { polling: 50 },
      );
      await walker.page.keyboard.up("w");
      await walker.settled();

      const builder = await ViewerWindow.open(browser, { url, link: `${token}&${LINK}` });
      await builder.said("Here");
      await builder.sees(SNOW, snow.id);
      await builder.settled();
      await builder.page.keyboard.press("b");
      await builder.page.click(`#palette [data-id="${dirt.id}"]`);
      await builder.page.mouse.click(325, 195);
      // The builder's page shows an edit before the server has it.
      await Promise.all([builder.sees(ABOVE, dirt.id), walker.sees(ABOVE, dirt.id)]);
      expect([...walker.complaints, ...builder.complaints]).toEqual([]);
      await Promise.all([walker.close(), builder.close()]);
    });
    expect(stopped).toBe(0);
    await whileServed(folder, async ({ page }) => {
      const [url = "", token = ""] = page.split("/#");
      const again = await ViewerWindow.open(browser, { url, link: `${token}&${LINK}` });
      await again.said("Here");
      await again.sees(ABOVE, dirt.id);
      await again.close();
    });
    expect(await blockAt(ABOVE)).toEqual(dirt);
  });
});
