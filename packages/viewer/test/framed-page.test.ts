import { once } from "node:events";
import { createServer as createHttpServer } from "node:http";
import type { AddressInfo } from "node:net";
import { MemoryDisk } from "@orthant/disk";
import { createServer, type ServerOptions } from "@orthant/server";
import { canOpenBrowser, openBrowser } from "@orthant/testkit/browser";
import { VIEWER_PAGE } from "@orthant/viewer/node";
import { createWorldEngine } from "@orthant/world/engine";
import type { Browser, Frame, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";

/** A browser without a graphics card is slow on a busy machine. */
const BROWSER_MS = 120_000;

/** Serves a page of another origin that shows `framed` in a frame. Returns its origin. */
async function framingPage(framed: () => string): Promise<string> {
  const server = createHttpServer((_request, response) => {
    response.setHeader("content-type", "text/html");
    response.end(`<!doctype html><title>A game</title><iframe width="600" height="400" src="${framed()}">`);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function serve(page: ServerOptions["page"]): Promise<string> {
  const world = await createWorldEngine(new MemoryDisk(), { name: "Framed" }, { autosave: false });
  const server = await createServer({
    world,
    logger: false,
    closeWorld: true,
    ...(page !== undefined && { page }),
  });
  onTestFinished(() => server.close());
  return `http://127.0.0.1:${server.port}/`;
}

describe.skipIf(!canOpenBrowser())("a page that frames the viewer", { timeout: BROWSER_MS }, () => {
  let browser: Browser;

  beforeAll(async () => {
    browser = await openBrowser();
  }, BROWSER_MS);

  afterAll(() => browser?.close());

  /** Opens the framing page. Returns it, its frame, and the errors that the browser reported. */
  async function open(origin: string): Promise<{ page: Page; frame: Frame; errors: string[] }> {
    const page = await browser.newPage();
    onTestFinished(() => page.close());
    page.setDefaultTimeout(BROWSER_MS);
    const errors: string[] = [];
    page.on("console", (message) => message.type() === "error" && errors.push(message.text()));
    await page.goto(origin);
    const frame = page.frames()[1];
    if (frame === undefined) throw new Error("the page has no frame");
    return { page, frame, errors };
  }

  test("shows nothing of it by default", async () => {
    const viewer = await serve(VIEWER_PAGE);
    const { frame, errors } = await open(await framingPage(() => viewer));
    expect(await frame.locator("#world-name").count()).toBe(0);
    expect(errors.join()).toContain("frame-ancestors 'none'");
  });

  test("shows nothing of it when the server names another origin", async () => {
    const viewer = await serve({ folder: VIEWER_PAGE, frameAncestors: ["https://example.org"] });
    const { frame, errors } = await open(await framingPage(() => viewer));
    expect(await frame.locator("#world-name").count()).toBe(0);
    expect(errors.join()).toContain("frame-ancestors https://example.org");
  });

  test("shows the world when the server names its origin", async () => {
    let viewer = "";
    const origin = await framingPage(() => viewer);
    viewer = await serve({ folder: VIEWER_PAGE, frameAncestors: [origin] });
    const { frame, errors } = await open(origin);
    await frame.locator("#world-name", { hasText: "Framed" }).waitFor();
    await frame.locator("#status", { hasText: "Here" }).waitFor();
    expect(errors).toEqual([]);
  });
});
