import { readFileSync } from "node:fs";
import { cpus, loadavg } from "node:os";
import { join, normalize } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { connectReplica } from "@orthant/client/node";
import { type ChunkShape, CUBE_CHUNKS, DEFAULT_BLOCKS, HYPERCUBE_CHUNKS } from "@orthant/core";
import {
  DEFAULT_GENERATORS,
  type GeneratorRef,
  generatorRef,
  PLATFORMS_DEFAULTS,
  platformsGenerator,
  TERRAIN_DEFAULTS,
  terrainGenerator,
} from "@orthant/core/generate";
import { cubeAt } from "@orthant/core/lattice";
import { WorldState } from "@orthant/core/tree";
import { BlockAppearance } from "@orthant/mesh";
import {
  chunkInSlice,
  chunkSizeIn,
  cutChunk,
  emptyVolume,
  fillVolume,
  quadCount,
  VolumeMesher,
  type VolumePoint,
  XYZ,
} from "@orthant/mesh/volume";
import { fly, openBrowser, ViewerWindow } from "@orthant/testkit/browser";
import { VIEWER_PAGE } from "@orthant/viewer/node";
import type { Browser } from "playwright-core";
import { WebSocket } from "ws";
import { atMost, type Figure, median, time, told } from "./figure.ts";
import { requireBrowser } from "./missing.ts";
import { sized } from "./size.ts";
import { buildAround, ServedFolder } from "./viewer/served-folder.ts";
import { worldViewFigures } from "./viewer/world-view-figures.ts";

const PAGE_BUDGET_KB = 260;
/** How a built file names another that is loaded with it: not `import("...")`, which is loaded on demand. */
const LOADED_AT_START = /(?:src=|href=|from|import|new URL\()["'`](?:\.\/)?([^"'`]+\.(?:js|css|svg))["'`]/g;
/** Edge of what is meshed at once. */
const SECTION_VOXELS = 32;
const JOIN_BUDGET_KB = 100;
const EDITED_CHUNKS = sized(200, 20);
const WINDOW_RADIUS_CHUNKS = 6;
/** 2,000 chunks of 8^4 a second, and 500 of 16^3. */
const SLICE_BUDGET_US = 500;
const CUBE_BUDGET_US = 2_000;
const LONG_TASK_MS = 50;
const MESH_ROUNDS = sized(7, 1);
const FLIGHT_SECONDS = sized(30, 1);
const EDITS = sized(25, 2);
const EDIT_BUDGET_MS = 1_000;
const RESTART_BUDGET_KB = 4;
/** Without a graphics card, most of the time goes into pixels and what is far away. */
const WINDOW = sized({}, { size: { width: 320, height: 240 }, isNear: true });

/**
 * Question: what does it cost to look at a world?
 * Budgets: the page and the join in bytes; meshing in processor time; frames by the number of tasks that the
 * browser calls long; the delay of an edit from one window to another; a restart in bytes.
 */
export async function* viewerSuite(): AsyncGenerator<Figure> {
  requireBrowser();
  yield pageFigure();
  yield meshFigure(
    "8^4",
    HYPERCUBE_CHUNKS,
    generatorRef(platformsGenerator, PLATFORMS_DEFAULTS, 7n),
    SLICE_BUDGET_US,
  );
  yield meshFigure("16^3", CUBE_CHUNKS, generatorRef(terrainGenerator, TERRAIN_DEFAULTS, 7n), CUBE_BUDGET_US);
  const browser = await openBrowser();
  try {
    yield* platformFigures(browser);
    yield* flightFigures(browser);
  } finally {
    await browser.close();
  }
}

/** What a browser loads before the first picture: the page and its worker, with all that they import at the start. */
function pageFigure(): Figure {
  const folder = fileURLToPath(VIEWER_PAGE);
  const files = new Set(["index.html"]);
  for (const name of files) {
    const text = readFileSync(join(folder, name), "utf8");
    for (const [, other = ""] of text.matchAll(LOADED_AT_START)) {
      files.add(name === "index.html" ? normalize(other) : join("assets", other));
    }
  }
  const sizes = Array.from(files, (name) => gzipSync(readFileSync(join(folder, name)), { level: 9 }).length);
  const bytes = sizes.reduce((sum, size) => sum + size, 0);
  const remark = `${files.size} files, gzipped, with three.js, before the first picture`;
  return atMost("viewer/page", bytes / 1000, "kB", PAGE_BUDGET_KB, remark);
}

/** Sections of generated chunks that are already realized: measures only the mesher and its inputs. */
function meshFigure(name: string, shape: ChunkShape, generator: GeneratorRef, budget: number): Figure {
  const state = WorldState.open({ generators: DEFAULT_GENERATORS, generator, shape });
  const chunk = chunkSizeIn(shape, XYZ);
  const edge = SECTION_VOXELS / chunk[0];
  const grid = { chunk, chunks: [edge, edge, edge] } as const;
  const volume = emptyVolume([SECTION_VOXELS, SECTION_VOXELS, SECTION_VOXELS]);
  const mesher = new VolumeMesher(new BlockAppearance(DEFAULT_BLOCKS));
  const sections = [-2, -1, 0, 1].flatMap((right) =>
    [-1, 0].flatMap((up) =>
      [-2, -1, 0, 1].map((back): VolumePoint => [right * edge, up * edge, back * edge]),
    ),
  );
  const cutAt = (right: number, up: number, back: number) =>
    cutChunk(state.realizeChunk(...chunkInSlice(shape, XYZ, [right, up, back])), shape, XYZ);
  let quads = 0;
  const meshAll = (): number => {
    quads = 0;
    for (const first of sections) {
      if (fillVolume(grid, first, cutAt, volume) === "air") continue;
      const { opaque, blended } = mesher.mesh(volume);
      quads += quadCount(opaque) + quadCount(blended);
    }
    return quads;
  };
  meshAll();
  const chunks = sections.length * edge ** 3;
  const rounds = Array.from({ length: MESH_ROUNDS }, () => time(meshAll, 1));
  const cpuUs = median(rounds.map(({ cpuNs }) => cpuNs)) / 1000 / chunks;
  const wallUs = median(rounds.map(({ wallNs }) => wallNs)) / 1000 / chunks;
  const remark = `${Math.round(1e6 / cpuUs)} a second of the processor, ${wallUs.toFixed(0)} us on the clock, ${quads} quads`;
  return atMost(`viewer/mesh-${name}`, cpuUs, "us/chunk", budget, remark);
}

function load(): string {
  const [running = 0] = loadavg();
  return `at a load of ${running.toFixed(0)} on ${cpus().length} processors`;
}

async function* platformFigures(browser: Browser): AsyncGenerator<Figure> {
  const served = await ServedFolder.create("platforms");
  try {
    await served.change((world) => buildAround(world, EDITED_CHUNKS, WINDOW_RADIUS_CHUNKS));
    await served.serve();
    yield await windowFigure(served);
    const link = `token=${served.token}&at=0.5,12.5,20.5,0.5&look=0,-20&hide=w`;
    const [ada, bob] = [
      await ViewerWindow.open(browser, { url: served.url, link, ...WINDOW }),
      await ViewerWindow.open(browser, { url: served.url, link, ...WINDOW }),
    ];
    await Promise.all([ada.settled(), bob.settled()]);
    const { bytesIn, heldRegions } = await ada.numbers();
    const remark = `the page's own window of ${heldRegions} regions, all that came over the socket`;
    yield atMost("viewer/join-page", bytesIn / 1000, "kB", JOIN_BUDGET_KB, remark);
    yield await editFigure(ada, bob);
    yield* restartFigures(served, [ada, bob]);
    await Promise.all([ada.close(), bob.close()]);
  } finally {
    await served.remove();
  }
}

/** A window of 13^4 chunks, fetched by the page's own client, with the same generators as the server. */
async function windowFigure(served: ServedFolder): Promise<Figure> {
  let bytes = 0;
  const client = connectReplica(served.worldUrl, {
    token: served.token,
    interest: { boxes: [cubeAt([-6, -6, -6, -6], WINDOW_RADIUS_CHUNKS * 2 + 1)] },
    socket(url) {
      const socket = new WebSocket(url);
      socket.addEventListener("message", ({ data }) => {
        if (data instanceof ArrayBuffer) bytes += data.byteLength;
      });
      return socket;
    },
  });
  await client.complete();
  await client.close();
  const remark = `13^4 chunks, ${EDITED_CHUNKS} of them edited, all that came over the socket`;
  return atMost("viewer/join-13^4", bytes / 1000, "kB", JOIN_BUDGET_KB, remark);
}

async function editFigure(ada: ViewerWindow, bob: ViewerWindow): Promise<Figure> {
  const times: number[] = [];
  for (let edit = 0; edit < EDITS; edit++) {
    const position = [edit - 12, 14, 0, 0] as const;
    const [sentMs, seenMs] = await Promise.all([ada.setVoxel(position, 13), bob.seenAt(position, 13)]);
    times.push(seenMs - sentMs);
  }
  const remark = `p50 of ${EDITS}, longest ${Math.max(...times).toFixed(0)} ms; a server's tick is 100 ms`;
  return atMost("viewer/edit-to-other-window", median(times), "ms", EDIT_BUDGET_MS, remark);
}

async function* restartFigures(
  served: ServedFolder,
  windows: readonly ViewerWindow[],
): AsyncGenerator<Figure> {
  await served.kill();
  await Promise.all(windows.map((window) => window.said("Offline")));
  const before = await Promise.all(windows.map(async (window) => (await window.numbers()).bytesIn));
  await served.change((world) => world.set([0, 20, 0, 0], 11));
  await served.serve();
  await Promise.all(windows.map((window) => window.sees([0, 20, 0, 0], 11)));
  await Promise.all(windows.map((window) => window.said("Here")));
  for (const [index, window] of windows.entries()) {
    const bytes = (await window.numbers()).bytesIn - (before[index] ?? 0);
    const remark = "killed and started again, one voxel changed; no reload";
    yield atMost(`viewer/restart-window-${index + 1}`, bytes / 1000, "kB", RESTART_BUDGET_KB, remark);
  }
}

async function* flightFigures(browser: Browser): AsyncGenerator<Figure> {
  const served = await ServedFolder.create("terrain");
  try {
    await served.serve();
    const link = `token=${served.token}&at=0.5,30.5,0.5,0.5&look=0,-15`;
    const start = performance.now();
    const view = await ViewerWindow.open(browser, { url: served.url, link, ...WINDOW });
    await view.settled();
    const pageSeconds = (performance.now() - start) / 1000;
    const share = `its own 176 voxels from the address to the whole picture, with light; ${load()}`;
    yield told("viewer/page-176", pageSeconds, "s", share);
    const { longTasks, longestTaskMs, longestCpuMs, longCpuTasks } = await fly(
      browser,
      view.page,
      FLIGHT_SECONDS,
    );
    const onClock = `on the clock ${longTasks}, longest ${longestTaskMs.toFixed(0)} ms, ${load()}`;
    const remark = `of the page in ${FLIGHT_SECONDS} s of flight, longest ${longestCpuMs.toFixed(1)} ms of the processor; ${onClock}`;
    yield atMost(`viewer/tasks-over-${LONG_TASK_MS}-ms`, longCpuTasks, "tasks", 0, remark);
    await view.close();
    yield* worldViewFigures(browser, pageSeconds);
  } finally {
    await served.remove();
  }
}
