import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { createServer as createHttpServer } from "node:http";
import type { AddressInfo } from "node:net";
import { chunkFromVoxels, chunkShape, DEFAULT_BLOCKS, HYPERCUBE_CHUNKS } from "@orthant/core";
import { encode } from "@orthant/core/bytes";
import { MemoryDisk } from "@orthant/disk";
import { type ServerFrame, type ServerMessage, serverFrameCodec } from "@orthant/protocol/internal";
import { createServer } from "@orthant/server";
import { Prng } from "@orthant/testkit";
import { canOpenBrowser, openBrowser, rendererBytes, ViewerWindow } from "@orthant/testkit/browser";
import { RANDOM_FRAME_VOLUME, randomServerFrame } from "@orthant/testkit/messages";
import { writeNamedWorld } from "@orthant/testkit/saves";
import { VIEWER_PAGE } from "@orthant/viewer/node";
import { createWorldEngine, openWorldEngine } from "@orthant/world/engine";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { type WebSocket, WebSocketServer } from "ws";

/** A browser without a graphics card is slow on a busy machine. */
const BROWSER_MS = 120_000;

/** Memory limit of the page and everything it draws, in a browser without a graphics card. */
const PAGE_BYTES_MAX = 900 * 1024 * 1024;

/** Serves the page, and hands every connection to `liar`. */
async function lie(liar: (socket: WebSocket) => void): Promise<string> {
  const server = createHttpServer(async (request, response) => {
    const path = request.url === "/" ? "index.html" : (request.url ?? "").slice(1);
    const type = path.endsWith(".js") ? "text/javascript" : path.endsWith(".css") ? "text/css" : "text/html";
    try {
      const file = await readFile(new URL(path, VIEWER_PAGE));
      response.setHeader("content-type", path.endsWith(".svg") ? "image/svg+xml" : type).end(file);
    } catch {
      response.writeHead(404).end();
    }
  });
  const sockets = new WebSocketServer({ server });
  sockets.on("connection", liar);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    for (const socket of sockets.clients) socket.terminate();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Random messages of a server that neither says goodbye nor resets the stream. */
function randomMessages(prng: Prng): readonly ServerMessage[] {
  return randomServerFrame(prng).messages.filter(({ kind }) => kind !== "goodbye" && kind !== "reset");
}

function randomWelcome(prng: Prng): ServerMessage {
  for (;;) {
    const welcome = randomMessages(prng).find(({ kind }) => kind === "welcome");
    // Without feature bits, so that the client accepts it.
    if (welcome?.kind === "welcome") return { ...welcome, featureBits: 0n, tickMs: 100 };
  }
}

function damaged(bytes: Uint8Array, prng: Prng): Uint8Array {
  bytes[prng.below(bytes.length)] = prng.below(256);
  return bytes;
}

describe.skipIf(!canOpenBrowser())("a hostile server", { timeout: BROWSER_MS }, () => {
  let browser: Browser;

  beforeAll(async () => {
    browser = await openBrowser();
  }, BROWSER_MS);

  afterAll(() => browser?.close());

  async function open(url: string, link = ""): Promise<ViewerWindow> {
    const view = await ViewerWindow.open(browser, { url, link });
    onTestFinished(() => view.close());
    return view;
  }

  /** Queries the page and its worker repeatedly: both answer, and a frame is drawn in between. */
  async function expectAlive(view: ViewerWindow): Promise<void> {
    const before = await view.frames();
    for (let times = 0; times < 5; times++) {
      await view.voxelAt([0, 0, 0, 0]);
      await view.redrawn();
    }
    expect(await view.frames()).toBeGreaterThan(before);
    expect(view.complaints.filter((text) => !/WebSocket connection|Failed to load/.test(text))).toEqual([]);
    expect(await rendererBytes(browser)).toBeLessThan(PAGE_BYTES_MAX);
  }

  test("a hostile server that sends random bytes, random messages and text neither hangs the page nor exhausts its memory", async () => {
    let seed = 1;
    const url = await lie((socket) => {
      const prng = new Prng(seed++);
      const codec = serverFrameCodec(RANDOM_FRAME_VOLUME);
      const tell = (frame: ServerFrame | Uint8Array | string): void => {
        if (socket.readyState !== socket.OPEN) return;
        const bytes = typeof frame === "string" || frame instanceof Uint8Array ? frame : encode(codec, frame);
        socket.send(bytes, () => setImmediate(next));
      };
      const next = (): void => {
        // A client disconnects at the first protocol violation, and reconnects later each time.
        const kind = prng.below(600);
        const frame = { number: 2 + prng.below(1000), messages: randomMessages(prng) };
        if (kind === 0) tell("text");
        else if (kind === 1) tell(prng.bytes(prng.below(4000)));
        else if (kind === 2) tell(damaged(encode(codec, frame), prng));
        else tell(frame);
      };
      tell({ number: 1, messages: [randomWelcome(prng)] });
    });
    const view = await open(url);
    await view.received(50_000);
    await view.said("Offline");
    await expectAlive(view);
  });

  test("[N35] cannot show direction marks and control characters unescaped in names and reasons", async () => {
    const name = "Isles\u202egnorW\u0007";
    const disk = new MemoryDisk();
    await writeNamedWorld(disk, HYPERCUBE_CHUNKS, { name, catalog: DEFAULT_BLOCKS });
    const world = await openWorldEngine(disk, { autosave: false });
    const server = await createServer({ world, tickMs: 10, logger: false, page: VIEWER_PAGE });
    onTestFinished(async () => {
      await server.close();
      await world.close();
    });
    const view = await open(`http://127.0.0.1:${server.port}`, "name=%1B%5B2J");
    await view.says("world-name", "Isles\\u202egnorW\\u0007");
    expect(await view.page.title()).toBe("Isles\\u202egnorW\\u0007 · Orthant");
    await view.said("Here");
    expect(
      server.players.map((player) => player.name),
      "a bad name in a link does not keep out",
    ).toEqual(["Visitor"]);
    server.kick(server.players[0]?.playerId ?? 0n, "enough\u202e");
    await view.said("enough\\u202e");
  });

  test("a hostile server with huge chunks that change endlessly neither hangs the page nor exhausts its memory", async () => {
    const shape = chunkShape([64, 32, 32, 1]);
    const world = await createWorldEngine(new MemoryDisk(), { name: "Noise", shape }, { autosave: false });
    const prng = new Prng(9);
    const noise = Array.from({ length: 4 }, () =>
      chunkFromVoxels(Uint16Array.from({ length: shape.volume }, () => prng.below(65_536))),
    );
    const server = await createServer({
      world,
      tickMs: 10,
      logger: false,
      page: VIEWER_PAGE,
      limits: { wholeRegionBytesPerTick: 1_000_000 },
    });
    // All of it is meshed, but outside the view: this test does not measure drawing speed.
    const view = await open(`http://127.0.0.1:${server.port}`, "at=0,20,0,0&look=0,85");
    let isOver = false;
    const changing = (async () => {
      while (!isOver) {
        const position = [prng.below(3) - 1, -1 - prng.below(3), prng.below(3) - 1, 0] as const;
        await world.setChunks([[position, prng.pick(noise)]]);
        // A round trip gives the server time for its clients.
        await view.frames();
      }
    })();
    onTestFinished(async () => {
      await server.close();
      await world.close();
    });
    await view.said("Here");
    await view.received(5 * 1024 * 1024);
    await expectAlive(view);
    const { meshBytes, chunkBytes } = await view.numbers();
    isOver = true;
    await changing;
    expect(meshBytes).toBeLessThan(120 * 1024 * 1024);
    expect(chunkBytes).toBeLessThan(60 * 1024 * 1024);
  });
});
