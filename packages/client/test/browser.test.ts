import { fileURLToPath } from "node:url";
import { connectReplica } from "@orthant/client/node";
import type { Position } from "@orthant/core";
import type { OrthantServer } from "@orthant/server";
import { canOpenBrowser, openBrowser, type ServedPrograms, servePrograms } from "@orthant/testkit/browser";
import type { WorldEngine } from "@orthant/world/engine";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import type { ClientPage } from "./browser-page.ts";
import { builtWorld, serve } from "./served-world.ts";

declare const page: ClientPage;

describe.skipIf(!canOpenBrowser())("the client in Chromium", () => {
  let world: WorldEngine;
  let pages: ServedPrograms;
  let server: OrthantServer;
  let browser: Browser;
  let origin: string;

  beforeAll(async () => {
    pages = await servePrograms({ page: fileURLToPath(new URL("./browser-page.ts", import.meta.url)) });
    origin = pages.origin;
    world = await builtWorld();
    server = await serve(world, { origins: [origin] });
    browser = await openBrowser();
  }, 120_000);

  afterAll(async () => {
    await browser?.close();
    await server?.close();
    await world?.close();
    pages?.close();
  });

  async function newContext(): Promise<BrowserContext> {
    const context = await browser.newContext();
    onTestFinished(() => context.close());
    return context;
  }

  async function open(context: BrowserContext): Promise<Page> {
    const opened = await context.newPage();
    await opened.goto(origin);
    await opened.waitForFunction(() => "page" in globalThis);
    return opened;
  }

  function join(opened: Page, cacheName: string): Promise<number> {
    return opened.evaluate(([url, name]) => page.join(url, name), [server.url, cacheName] as const);
  }

  const voxelAt = (opened: Page, position: Position): Promise<number | undefined> =>
    opened.evaluate((at) => page.voxelAt(at), position);

  test("edits, leaves, returns and fetches only what changed since", async () => {
    const context = await newContext();
    const first = await open(context);
    const firstBytes = await join(first, "isles");
    expect(await first.evaluate(() => page.setVoxel([1, 50, 1, 1], 13))).toBe("applied");
    const playerId = await first.evaluate(() => page.playerId());
    await first.evaluate(() => page.close());
    await first.close();

    const other = connectReplica(server.url, { interest: { center: [0, 33, 0, 0], radiusChunks: 1 } });
    await other.complete();
    expect(other.voxelAt([1, 50, 1, 1])).toBe(13);
    expect(await other.setVoxel([2, 34, 2, 2], 12)).toEqual({ status: "applied" });
    await other.close();

    const second = await open(context);
    const secondBytes = await join(second, "isles");
    expect(await voxelAt(second, [1, 50, 1, 1])).toBe(13);
    expect(await voxelAt(second, [2, 34, 2, 2])).toBe(12);
    expect(await second.evaluate(() => page.playerId())).toBe(playerId);
    expect(firstBytes).toBeGreaterThan(8_000);
    expect(secondBytes).toBeLessThan(firstBytes / 8);

    const stranger = await open(await newContext());
    expect(await join(stranger, "isles")).toBeGreaterThan(firstBytes / 2);
  }, 60_000);

  test("fills its cache soon, and need not be closed properly", async () => {
    const context = await newContext();
    const first = await open(context);
    const firstBytes = await join(first, "sudden");
    const playerId = await first.evaluate(() => page.playerId());
    await first.evaluate(() => page.stored());
    await first.reload();
    await first.waitForFunction(() => "page" in globalThis);
    expect(await join(first, "sudden")).toBeLessThan(firstBytes / 8);
    expect(await first.evaluate(() => page.playerId())).toBe(playerId);
  }, 60_000);

  test("has a cache that keeps the cache contract", async () => {
    const opened = await open(await newContext());
    expect(await opened.evaluate(() => page.brokenPromises())).toEqual([]);
  });

  test("has a different identity in a second tab, and both keep working", async () => {
    const context = await newContext();
    const one = await open(context);
    await join(one, "tabs");
    const two = await open(context);
    await join(two, "tabs");
    const ids = await Promise.all([one, two].map((tab) => tab.evaluate(() => page.playerId())));
    expect(ids[0]).not.toBe(ids[1]);
    expect(await two.evaluate(() => page.setVoxel([5, 50, 5, 5], 13))).toBe("applied");
    expect(await one.evaluate(() => page.setVoxel([6, 50, 6, 6], 13))).toBe("applied");
    expect(await one.evaluate(() => page.status())).toBe("joined");
    expect(await two.evaluate(() => page.status())).toBe("joined");
  }, 60_000);
});
