import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { createServer as createHttpServer } from "node:http";
import type { AddressInfo } from "node:net";
import { CUBE_CHUNKS, DEFAULT_BLOCKS, type Position } from "@orthant/core";
import { MemoryDisk } from "@orthant/disk";
import { createServer, type OrthantServer } from "@orthant/server";
import { canOpenBrowser, openBrowser, type Screenshot, screenshotOf } from "@orthant/testkit/browser";
import { VIEWER_PAGE } from "@orthant/viewer/node";
import { createWorldEngine, type WorldEngine } from "@orthant/world/engine";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";

/** A browser without a graphics card is slow on a busy machine. */
const BROWSER_MS = 240_000;
/** What a page without a bundler loads. */
const MODULES = new URL("../browser/", VIEWER_PAGE);
const BRICK = 11;
const SAND = 4;
/** Edge of what is looked at, in pixels. */
const PATCH = 16;
/** How far the mean of a texture may be from the colour of its block. */
const TEXTURE = 48;

/** The parts of a mounted viewer that the tests use. */
interface Mounted {
  readonly element: { readonly shadowRoot: { querySelector(selector: string): unknown } };
  readonly status: { readonly kind: string; readonly text: string };
  readonly viewpoint: string | undefined;
  readonly world: { readonly name: string } | undefined;
  onStatus(listener: (status: { readonly kind: string }) => void): () => void;
  goTo(viewpoint: string): void;
  close(): Promise<void>;
}

declare const game: {
  mount(selector: unknown, options: object): Mounted;
  openWorldWorker(options: object): {
    send(message: object): void;
    onMessage(listener: (message: WorkerMessage) => void): () => void;
    close(): Promise<void>;
  };
  readonly viewers: Mounted[];
};
interface WorkerMessage {
  readonly kind: string;
  readonly facts?: { readonly name: string };
  readonly tile?: readonly number[];
  readonly pixels?: { readonly length: number };
  readonly hit?: { readonly voxel: readonly number[]; readonly block: number };
}
interface Canvas {
  getContext(kind: "webgl2"): { isContextLost(): boolean };
}
declare const counts: { frames: number; readonly timers: ReadonlySet<unknown> };
declare const document: {
  readonly body: object;
  querySelector(selector: string): { readonly childElementCount: number } | null;
};
declare const getComputedStyle: (element: object) => { readonly cssText: string; [name: string]: string };

const PAGE = `<!doctype html><title>A game</title><link rel="stylesheet" href="/game.css">
<h1>A game of ours</h1><p id="text">Two worlds:</p><div class="row"><div id="left"></div><div id="right"></div></div>
<input id="chat"><script type="module" src="/game.js"></script>`;
const STYLE = `body { margin: 12px; font: 15px serif; background: #fff; color: #111 } div { line-height: 3 }
button { background: red } .row { display: flex; gap: 10px } .row > div { width: 420px; height: 330px }`;
const PROGRAM = `
import { mountViewer } from "/viewer/index.js";
import { openWorldWorker } from "/viewer/worker-client.js";
globalThis.game = {
  viewers: [],
  openWorldWorker,
  mount(selector, options) {
    const viewer = mountViewer(document.querySelector(selector), options);
    game.viewers.push(viewer);
    return viewer;
  },
};`;

/** Counts what a page starts and does not end. */
function watchPage(): void {
  const timers = new Set<unknown>();
  const counted = { frames: 0, timers };
  const {
    setInterval: every,
    clearInterval: end,
    requestAnimationFrame: frame,
  } = globalThis as never as {
    setInterval(work: () => void, ms: number): number;
    clearInterval(id: number): void;
    requestAnimationFrame(work: (nowMs: number) => void): number;
  };
  Object.assign(globalThis, {
    counts: counted,
    setInterval(work: () => void, ms: number) {
      const id = every(work, ms);
      timers.add(id);
      return id;
    },
    clearInterval(id: number) {
      timers.delete(id);
      end(id);
    },
    requestAnimationFrame(work: (nowMs: number) => void) {
      counted.frames++;
      return frame(work);
    },
  });
}

async function worldOf(block: number, name: string): Promise<WorldEngine> {
  const world = await createWorldEngine(new MemoryDisk(), { name, shape: CUBE_CHUNKS }, { autosave: false });
  const [min, max]: readonly [Position, Position] = [
    [-6, -6, -23, 0],
    [7, 7, -16, 1],
  ];
  await world.fill({ min, max }, block);
  onTestFinished(() => world.close());
  return world;
}

describe.skipIf(!canOpenBrowser())("a viewer in a page of a game", { timeout: BROWSER_MS }, () => {
  let browser: Browser;

  beforeAll(async () => {
    browser = await openBrowser();
  }, BROWSER_MS);

  afterAll(() => browser?.close());

  /** Serves the game's page, with the strictest policy with which it can work, and opens it. */
  async function openGame(): Promise<{ page: Page; origin: string; complaints: string[] }> {
    const files: Readonly<Record<string, readonly [type: string, text: string]>> = {
      "/": ["text/html", PAGE],
      "/game.css": ["text/css", STYLE],
      "/game.js": ["text/javascript", PROGRAM],
    };
    const http = createHttpServer(async (request, response) => {
      const path = request.url ?? "";
      response.setHeader(
        "content-security-policy",
        "default-src 'none'; script-src 'self'; worker-src 'self'; style-src 'self'; connect-src ws://127.0.0.1:*",
      );
      if (path.startsWith("/viewer/")) {
        const text = await readFile(new URL(path.slice("/viewer/".length), MODULES)).catch(() => undefined);
        response.writeHead(text === undefined ? 404 : 200, { "content-type": "text/javascript" }).end(text);
        return;
      }
      const [type, text] = files[path] ?? ["text/plain", ""];
      response.writeHead(text === "" ? 404 : 200, { "content-type": type }).end(text);
    });
    http.listen(0, "127.0.0.1");
    await once(http, "listening");
    const origin = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
    const page = await browser.newPage({ viewport: { width: 880, height: 520 } });
    page.setDefaultTimeout(BROWSER_MS);
    const complaints: string[] = [];
    page.on("pageerror", (error) => complaints.push(String(error)));
    page.on("console", (message) => {
      if (["error", "warning"].includes(message.type())) complaints.push(message.text());
    });
    onTestFinished(async () => {
      await page.close();
      http.close();
    });
    await page.addInitScript(watchPage);
    await page.goto(origin);
    await page.waitForFunction(() => "game" in globalThis);
    return { page, origin, complaints };
  }

  async function serve(world: WorldEngine, origin: string): Promise<OrthantServer> {
    const server = await createServer({ world, tickMs: 20, logger: false, origins: [origin] });
    onTestFinished(() => server.close());
    return server;
  }

  async function mount(page: Page, selector: string, options: object): Promise<void> {
    await page.evaluate(([where, chosen]) => void game.mount(where, chosen), [selector, options] as const);
  }

  /** Waits until the pixels around a place show a block in any light: textures have several colours. */
  async function sees(page: Page, left: number, top: number, block: number): Promise<Screenshot> {
    const colour = DEFAULT_BLOCKS.byId(block)?.colour ?? 0;
    const wanted = [colour >>> 16, (colour >>> 8) & 0xff, colour & 0xff];
    const total = wanted.reduce((sum, part) => sum + part, 0);
    return until(async () => {
      const picture = await screenshotOf(page, await page.screenshot());
      const pixel = picture.around(left, top, PATCH);
      const light = pixel.reduce((sum, part) => sum + part, 0) / total;
      const isSame = pixel.every((part, index) => Math.abs(part - (wanted[index] ?? 0) * light) < TEXTURE);
      return light > 0.3 && light < 1.3 && isSame ? picture : undefined;
    });
  }

  test("shows two worlds side by side under a strict policy, and changes no style around them", async () => {
    const { page, origin, complaints } = await openGame();
    const bricks = await serve(await worldOf(BRICK, "Bricks"), origin);
    const sand = await serve(await worldOf(SAND, "Sand"), origin);
    const stylesOf = (): Promise<string> =>
      page.evaluate(() =>
        ["body", "h1", "#text", ".row", "#chat"]
          .map((selector) => {
            const style = getComputedStyle(document.querySelector(selector) ?? document.body);
            return [...(style as never as Iterable<string>)].map((name) => style[name]).join();
          })
          .join("\n"),
      );
    const before = await stylesOf();
    const viewpoint = "at=0.5,0.5,0.5,0&look=0,0";
    await mount(page, "#left", { url: bricks.url, viewpoint });
    await mount(page, "#right", { url: sand.url.replace("ws", "http"), viewpoint, showsControls: false });
    const [left, right] = [
      await page.locator("#left").boundingBox(),
      await page.locator("#right").boundingBox(),
    ];
    if (left === null || right === null) throw new Error("the page shows no viewers");
    const top = Math.round(left.y + left.height / 2 + 8);
    await sees(page, Math.round(left.x + left.width / 2), top, BRICK);
    await sees(page, Math.round(right.x + right.width / 2), top, SAND);
    expect(await stylesOf()).toBe(before);
    expect(await page.locator("#left #world-name").textContent()).toBe("Bricks");
    expect(await page.locator("#left #title").isVisible()).toBe(true);
    expect(await page.locator("#left #help").isVisible(), "a game's page greets by itself").toBe(false);
    expect(await page.locator("#left #share").isVisible(), "the address belongs to the game").toBe(false);
    expect(await page.locator("#right #title").isVisible()).toBe(false);
    expect(complaints).toEqual([]);
  });

  test("moves only while it has the focus, and where the pointer is", async () => {
    const { page, origin } = await openGame();
    const world = await worldOf(BRICK, "Bricks");
    const server = await serve(world, origin);
    const options = { url: server.url, viewpoint: "at=0.5,0.5,0.5,0&look=0,0" };
    await mount(page, "#left", options);
    await mount(page, "#right", options);
    await page.waitForFunction(() => game.viewers.every(({ viewpoint }) => viewpoint !== undefined));
    const viewpoints = (): Promise<readonly (string | undefined)[]> =>
      page.evaluate(() => game.viewers.map(({ viewpoint }) => viewpoint));
    await page.locator("#chat").fill("");
    await page.locator("#chat").pressSequentially("was", { delay: 30 });
    expect(await page.locator("#chat").inputValue()).toBe("was");
    const before = await viewpoints();
    await page.locator("#right #view").focus();
    // Backwards, so that its player does not stand in front of the other viewer, however far it goes.
    await page.keyboard.down("s");
    await page.waitForFunction((old) => game.viewers[1]?.viewpoint !== old, before[1]);
    await page.keyboard.up("s");
    expect((await viewpoints())[0]).toBe(before[0]);

    await page.evaluate((viewpoint) => game.viewers[0]?.goTo(viewpoint), options.viewpoint);
    const box = await page.locator("#left").boundingBox();
    if (box === null) throw new Error("the page shows no viewer");
    await sees(page, Math.round(box.x + box.width / 2), Math.round(box.y + box.height / 2 + 8), BRICK);
    await page.locator("#left #view").focus();
    await page.keyboard.press("3");
    const edited = new Promise((resolve) => world.onEdit(resolve));
    await page.mouse.click(box.x + box.width / 2, box.y + box.height / 2);
    await edited;
    expect(await world.get([0, 0, -17, 0]), "the voxel in the middle of the viewer").toBe(0);
  });

  test("leaves nothing behind when it is closed, also twenty times", async () => {
    const { page, origin, complaints } = await openGame();
    const server = await serve(await worldOf(BRICK, "Bricks"), origin);
    const listeners = await listenerCounter(page);
    const before = await listeners();
    for (let round = 0; round < 20; round++) {
      await mount(page, "#left", { url: server.url });
      if (round % 10 > 0) {
        await page.evaluate(() => game.viewers.pop()?.close());
        continue;
      }
      await page.waitForFunction(() => game.viewers[0]?.status.kind === "ready");
      expect(await listeners()).not.toEqual(before);
      expect(page.workers().length).toBeGreaterThan(0);
      const isLost = await page.evaluate(async () => {
        const viewer = game.viewers.pop();
        if (viewer === undefined) throw new Error("there is no viewer");
        const context = (viewer.element.shadowRoot.querySelector("#space") as Canvas).getContext("webgl2");
        await Promise.all([viewer.close(), viewer.close()]);
        return context.isContextLost();
      });
      expect(isLost).toBe(true);
    }
    expect(await listeners()).toEqual(before);
    await expect.poll(() => page.workers().length).toBe(0);
    await expect.poll(() => server.players.length).toBe(0);
    expect(await page.evaluate(() => document.querySelector("#left")?.childElementCount)).toBe(0);
    expect(await page.evaluate(() => counts.timers.size)).toBe(0);
    const frames = await page.evaluate(() => counts.frames);
    await page.waitForTimeout(300);
    expect(await page.evaluate(() => counts.frames)).toBe(frames);
    expect(complaints).toEqual([]);
  });

  test("says that the server refuses it, and that its worker does not start", async () => {
    const { page, origin } = await openGame();
    const world = await worldOf(BRICK, "Bricks");
    const server = await createServer({
      world,
      logger: false,
      origins: [origin],
      auth: { secret: "a secret of more than thirty-two bytes" },
    });
    onTestFinished(() => server.close());
    await mount(page, "#left", { url: server.url, token: "not one" });
    await page.waitForFunction(() => game.viewers[0]?.status.kind === "refused");
    const said = await page.evaluate(async (url) => {
      const worker = (): object =>
        new (globalThis as never as { Worker: new (path: string) => object }).Worker("/no.js");
      const viewer = game.mount("#right", { url, worker });
      const kind = await new Promise((resolve) => viewer.onStatus((status) => resolve(status.kind)));
      return [kind, viewer.status.text];
    }, server.url);
    expect(said).toEqual(["failed", expect.stringContaining("worker did not start")]);
  });

  test.each<[what: string, selector: string, options: unknown, message: string]>([
    ["no element", "#absent", { url: "ws://127.0.0.1:1" }, "element is null; it is an element of the page"],
    ["no options", "#left", undefined, "the options is undefined; it is an object with some of url"],
    ["no address", "#left", {}, "url is undefined; it is an address such as wss://play.example.org"],
    [
      "an address of a file",
      "#left",
      { url: "file:///world" },
      'url is "file:///world" (a string); it is an address',
    ],
    ["a token that is not text", "#left", { url: "/", token: 7 }, "token is 7 (a number); it is a string"],
    ["a name that no server accepts", "#left", { url: "/", name: "\u001b[2J" }, "name is"],
    [
      "an invalid viewpoint",
      "#left",
      { url: "/", viewpoint: "at=1" },
      'viewpoint is "at=1" (a string); it is text such as',
    ],
    [
      "an invalid worker",
      "#left",
      { url: "/", worker: "/worker.js" },
      'worker is "/worker.js" (a string); it is a function',
    ],
  ])("refuses %s with an error that says what is right", async (_what, selector, options, message) => {
    const { page } = await openGame();
    const said = await page.evaluate(
      ([where, chosen]) => {
        try {
          game.mount(where, chosen as object);
          return "";
        } catch (error) {
          return String(error);
        }
      },
      [selector, options] as const,
    );
    expect(said).toContain("ORT_ARGUMENT");
    expect(said).toContain(message);
    expect(await page.locator("orthant-viewer").count()).toBe(0);
  });

  test("lends its worker to a page that draws a map by itself", async () => {
    const { page, origin, complaints } = await openGame();
    const server = await serve(await worldOf(BRICK, "Bricks"), origin);
    const found = await page.evaluate(async (url) => {
      const worker = game.openWorldWorker({ url });
      const next = (kind: string): Promise<WorkerMessage> =>
        new Promise((resolve) => {
          const stop = worker.onMessage((message) => {
            if (message.kind !== kind) return;
            stop();
            resolve(message);
          });
        });
      const { facts } = await next("facts");
      const slice = { right: 0, up: 1, back: 2, hidden: 3, at: 0 };
      const still = [0, 0, 0, 0];
      const eye = [0.5, 0.5, 0.5, 0];
      const facing = [0, 0, -1, 0];
      const drawn = next("mapTile");
      const map = { min: [-32, -32], max: [32, 32] };
      worker.send({
        kind: "view",
        view: { sliceId: 1, slice, eye, motion: still, facing, reach: 48, isLit: false, map },
      });
      const { tile, pixels } = await drawn;
      const picked = next("picked");
      worker.send({ kind: "pick", id: 1, from: eye.slice(0, 3), direction: facing.slice(0, 3) });
      const { hit } = await picked;
      await worker.close();
      return [facts?.name, tile?.length, pixels?.length, hit?.voxel, hit?.block];
    }, server.url);
    expect(found).toEqual(["Bricks", 2, 64 * 64 * 4, [0, 0, -17, 0], BRICK]);
    await expect.poll(() => page.workers().length).toBe(0);
    expect(complaints).toEqual([]);
  });
});

/** Repeats until there is a value. */
async function until<Value>(attempt: () => Promise<Value | undefined>): Promise<Value> {
  for (const endMs = performance.now() + BROWSER_MS; performance.now() < endMs; ) {
    const value = await attempt();
    if (value !== undefined) return value;
  }
  throw new Error("it never happened");
}

/** Returns a function that counts the listeners of the window, the document and the mounting element. */
async function listenerCounter(page: Page): Promise<() => Promise<readonly number[]>> {
  const session = await page.context().newCDPSession(page);
  const objects = await Promise.all(
    ["window", "document", "document.body", 'document.querySelector("#left")'].map((expression) =>
      session.send("Runtime.evaluate", { expression }),
    ),
  );
  return () =>
    Promise.all(
      objects.map(async ({ result: { objectId = "" } }) => {
        const { listeners } = await session.send("DOMDebugger.getEventListeners", { objectId });
        return listeners.length;
      }),
    );
}
