import { CUBE_CHUNKS } from "@orthant/core";
import { canOpenBrowser, type ViewerWindow } from "@orthant/testkit/browser";
import { describe, expect, test } from "vitest";
import { BRICK, BROWSER_MS, browserForTests, MIDDLE, newWorld, serve } from "./served-page.ts";

const STONE = 1;
/** Pixels of a voxel of the wall, seen from before it. */
const VOXEL = 20;

/** Clicks a voxel of the wall. */
async function clickVoxel({ page }: ViewerWindow, right: number, up: number): Promise<void> {
  await page.mouse.click(320 + right * VOXEL, 200 - up * VOXEL);
}

describe.skipIf(!canOpenBrowser())("the builder's tools in Chromium", { timeout: BROWSER_MS }, () => {
  const open = browserForTests();

  test("select with two clicks, copy, turn and place, and undo it, on a server", async () => {
    const world = await newWorld(CUBE_CHUNKS, [[-3, -3, -23, 0], [4, 4, -16, 1], BRICK]);
    const server = await serve(world, { operations: { builder: {} } });
    const view = await open(server, "at=0.5,0.5,0.5,0&look=0,0");
    await view.settled();
    const { page } = view;
    await page.keyboard.press("5");
    await view.says("build-says", "Click two corners");
    await clickVoxel(view, -2, 2);
    await view.says("build-says", "other corner");
    await clickVoxel(view, 2, -2);
    await view.says("build-says", "5 × 5 × 1, 25 voxels");

    // The line for operations, in the selection.
    await page.keyboard.press("/");
    await page.keyboard.type("set sto");
    await page.locator("#build-words div", { hasText: "stone" }).waitFor();
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await view.says("build-says", "Changed 25 voxels");
    expect(await world.get([2, -2, -17, 0])).toBe(STONE);
    await page.keyboard.press("/");
    await page.keyboard.type("sett stone");
    await page.keyboard.press("Enter");
    await view.says("build-fault", 'expected an operation, found "sett"');
    await page.keyboard.press("Escape");

    // A side of the box is pulled to the left.
    await page.locator('.handle[data-side="x-"]').press("ArrowLeft");
    await view.says("build-says", "6 × 5 × 1, 30 voxels");

    await page.locator("#view").focus();
    await page.keyboard.press("Control+c");
    await view.says("build-says", "Copied 6 × 5 × 1");
    await page.keyboard.press("Control+v");
    await page.mouse.move(...MIDDLE);
    await view.says("build-says", "click to place");
    await page.keyboard.press("r");
    await view.says("build-says", "1 × 5 × 6");
    await page.mouse.click(...MIDDLE);
    await view.says("build-says", /Pasted: \d+ voxels/);
    expect(await world.get([0, 4, -13, 0])).not.toBe(0);

    await page.keyboard.press("u");
    await view.says("build-list-items", /paste.*set stone/s);
    await page.keyboard.press("Control+z");
    await page.locator("#build-list-items li.undone").waitFor();
    expect(await world.get([0, 4, -13, 0])).toBe(0);
  });
});
