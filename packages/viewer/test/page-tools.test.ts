import { CUBE_CHUNKS, HYPERCUBE_CHUNKS } from "@orthant/core";
import { canOpenBrowser } from "@orthant/testkit/browser";
import { describe, expect, test } from "vitest";
import { BRICK, BROWSER_MS, browserForTests, LAMP, MIDDLE, newWorld, serve, shows } from "./served-page.ts";

describe.skipIf(!canOpenBrowser())("the tools of the viewer in Chromium", { timeout: BROWSER_MS }, () => {
  const open = browserForTests();

  test("shows the controls on a first visit, and again when the question mark is pressed", async () => {
    const view = await open(await serve(await newWorld(CUBE_CHUNKS)), undefined, { showsControls: true });
    const isOpen = (): Promise<boolean> =>
      view.page.locator("#help").evaluate((help) => help.hasAttribute("open"));
    await view.settled();
    expect(await isOpen()).toBe(true);
    await view.page.click("#close-help");
    expect(await isOpen()).toBe(false);
    await view.page.keyboard.press("?");
    expect(await isOpen()).toBe(true);
  });

  test("places the chosen block with the chosen tool, shows it at once, and undoes it", async () => {
    const world = await newWorld(CUBE_CHUNKS, [[-3, -3, -23, 0], [4, 4, -16, 1], BRICK]);
    const view = await open(await serve(world), "at=0.5,0.5,0.5,0&look=0,0");
    await view.settled();
    await view.page.keyboard.press("b");
    await view.page.click('#palette [data-id="13"]');
    expect(await view.page.getAttribute('[data-tool="place"]', "aria-pressed")).toBe("true");
    const edited = new Promise((resolve) => world.onEdit(resolve));
    await view.page.mouse.click(...MIDDLE);
    await view.sees([0, 0, -16, 0], LAMP);
    await view.settled();
    // The page shows an edit before the server has it.
    await edited;
    expect(await world.get([0, 0, -16, 0])).toBe(LAMP);
    // The lamp, and the ghost of the next one before it: brighter than any brick.
    const lit = (await view.picture()).at(...MIDDLE);
    expect(Math.min(...lit), String(lit)).toBeGreaterThan(150);

    await view.page.keyboard.press("Control+z");
    await view.sees([0, 0, -16, 0], 0);
    await view.page.mouse.click(...MIDDLE, { button: "right" });
    await view.sees([0, 0, -17, 0], 0);
    await view.page.keyboard.press("4");
    await view.page.mouse.click(320 + 30, 200);
    await view.says("block-name", "brick");
  });

  test("edits with a box and with a sphere, each in one edit", async () => {
    const world = await newWorld(CUBE_CHUNKS, [[-9, -9, -23, 0], [10, 10, -16, 1], BRICK]);
    const view = await open(await serve(world), "at=0.5,0.5,0.5,0&look=0,0");
    await view.settled();
    await view.page.keyboard.press("3");
    await view.page.keyboard.press("v");
    await view.page.mouse.click(...MIDDLE);
    await view.sees([1, 1, -18, 0], 0);
    expect(await world.get([2, 1, -18, 0])).toBe(BRICK);
    await view.page.keyboard.press("Control+z");
    await view.sees([1, 1, -18, 0], BRICK);
    for (let press = 0; press < 4; press++) await view.page.keyboard.press("v");
    expect(await view.page.textContent("#brush")).toBe("Sphere 5");
    await view.page.mouse.click(...MIDDLE);
    await view.sees([2, 0, -17, 0], 0);
    expect(await world.get([2, 2, -17, 0]), "a sphere has no corners").toBe(BRICK);
  });

  test("reverts an edit that the server rejects and shows the reason", async () => {
    const world = await newWorld(CUBE_CHUNKS, [[-3, -3, -23, 0], [4, 4, -16, 1], BRICK]);
    const server = await serve(world, { rules: { beforeEdit: () => ({ reject: "this wall is old" }) } });
    const view = await open(server, "at=0.5,0.5,0.5,0&look=0,0");
    await view.settled();
    await view.page.keyboard.press("3");
    await view.page.mouse.click(...MIDDLE);
    await view.says("notice", "this wall is old");
    await view.sees([0, 0, -17, 0], BRICK);
    await expect(view.sees([0, 0, -17, 0], LAMP, 100)).rejects.toThrow("not 13");
    await view.settled();
    expect(shows(await view.picture(), MIDDLE, BRICK)).toBe(true);
  });

  test("counts sent and received data, and frames the regions with their clocks", async () => {
    const world = await newWorld(CUBE_CHUNKS, [[-3, -3, -23, 0], [4, 4, -16, 1], BRICK]);
    const view = await open(await serve(world), "at=0.5,0.5,0.5,0&look=0,0", { isNear: false });
    await view.settled();
    await view.page.keyboard.press("i");
    await view.page.keyboard.press("g");
    await view.says("labels", /\d+\.\d+/);
    const { bytesIn, patches, heldRegions } = await view.numbers();
    expect(bytesIn).toBeGreaterThan(200);
    expect(patches).toBeGreaterThan(0);
    expect(heldRegions).toBeGreaterThan(100);
    expect(await view.page.textContent("#numbers")).toContain("round trip of an edit");
  });

  test("shows whether the visitor orbits", async () => {
    const world = await newWorld(HYPERCUBE_CHUNKS, [[-3, -3, -23, 0], [4, 4, -16, 3], BRICK]);
    const view = await open(await serve(world), "at=0.5,0.5,0.5,0.5&look=0,0&hide=w");
    await view.settled();
    const pressed = (isPressed: boolean): Promise<void> =>
      view.page.locator(`#toggle-orbit[aria-pressed="${isPressed}"]`).waitFor();
    await view.page.keyboard.press("o");
    await pressed(true);
    await view.page.keyboard.press("o");
    await pressed(false);
    await view.page.keyboard.press("o");
    await pressed(true);
    await view.page.keyboard.press("t");
    await pressed(false);
  });
});
