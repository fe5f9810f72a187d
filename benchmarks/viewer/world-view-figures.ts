import { fileURLToPath } from "node:url";
import { rendererBytes, servePrograms, tasksDuring } from "@orthant/testkit/browser";
import type { Browser, Page } from "playwright-core";
import { atMost, type Figure, median, told } from "../figure.ts";
import { sized } from "../size.ts";
import type { Flight, WorldViewPage } from "./world-view-page.ts";

declare const page: WorldViewPage;

const PAGE_PROGRAM = fileURLToPath(new URL("./world-view-page.js", import.meta.url));
const WORKER_PROGRAM = fileURLToPath(import.meta.resolve("@orthant/worker-pool/browser/mesh-worker"));
/** View distances, in voxels, with the seconds in which all of it has to be in the picture. */
const DISTANCES: readonly (readonly [distance: number, seconds: number])[] = sized(
  [
    [144, 8],
    [256, 25],
  ],
  [[32, 60]],
);
const EDITS = sized(11, 1);
const EDIT_FRAMES = 2;
const FLIGHT_SECONDS = sized(60, 1);
const LONG_TASK_MS = 50;
const MESH_MB = 96;
const VISITS = sized(10, 1);
const VISITS_DISTANCE = sized(96, 32);
const VISITS_MB = 32;

/**
 * Question: what does it cost to have a world in a scene of three.js?
 * Budgets: 8 seconds to see 144 voxels far and 25 to see 256, since players wait for it; an edit within two pictures, which
 * looks immediate; no task of 50 ms and 96 MB of meshes in a flight over land and a town; and no more memory after ten visits to a
 * far place.
 */
export async function* worldViewFigures(browser: Browser, pageSeconds: number): AsyncGenerator<Figure> {
  const programs = await servePrograms({ page: PAGE_PROGRAM, worker: WORKER_PROGRAM });
  const opened = await browser.newPage();
  try {
    await opened.goto(programs.origin);
    await opened.waitForFunction(() => "page" in globalThis);
    for (const [distance, seconds] of DISTANCES) {
      const found = await opened.evaluate((voxels) => page.complete(voxels), distance);
      const share = found.ms / 1000 / pageSeconds;
      const remark = `${share.toFixed(2)} of what the viewer's page takes for its own 176 voxels, from a server`;
      yield atMost(`viewer/world-view-${distance}`, found.ms / 1000, "s", seconds, remark);
      yield told(
        `viewer/world-view-${distance}-frame`,
        found.frameMs,
        "ms a picture",
        `on the page's thread; ${found.triangles} triangles, ${found.drawCalls} draw calls, ${(found.bytes / 1e6).toFixed(1)} MB`,
      );
    }
    yield* flightFigures(browser, opened);
    const edits: number[] = [];
    for (let edit = 0; edit < EDITS; edit++) edits.push(await opened.evaluate(() => page.edit()));
    yield atMost("viewer/world-view-edit", median(edits), "pictures", EDIT_FRAMES, `p50 of ${EDITS}`);
    await opened.evaluate((voxels) => page.complete(voxels), VISITS_DISTANCE);
    await opened.evaluate(() => page.visit(1));
    const before = await rendererBytes(browser);
    await opened.evaluate((times) => page.visit(times), VISITS);
    const grown = ((await rendererBytes(browser)) - before) / 1e6;
    yield atMost(
      "viewer/world-view-visits",
      grown,
      "MB more",
      VISITS_MB,
      `after ${VISITS} visits to a far place`,
    );
  } finally {
    await opened.close();
    programs.close();
  }
}

/** At the farthest distance that was completed. A task counts by its time of the processor, as other programs may interrupt it. */
async function* flightFigures(browser: Browser, opened: Page): AsyncGenerator<Figure> {
  await opened.evaluate(() => page.build());
  let flight: Flight | undefined;
  const { longTasks, longestTaskMs, longestCpuMs } = await tasksDuring(browser, opened, async () => {
    flight = await opened.evaluate((seconds) => page.fly(seconds), FLIGHT_SECONDS);
  });
  if (flight === undefined) return;
  const { frames, bytes, triangles, drawCalls, updateMs, longestUpdateMs, renderMs, longestRenderMs } =
    flight;
  yield atMost(
    "viewer/world-view-flight-task",
    longestCpuMs,
    "ms of the processor",
    LONG_TASK_MS,
    `the longest in ${FLIGHT_SECONDS} s over land and a town; on the clock ${longTasks} were long, the longest ${longestTaskMs.toFixed(0)} ms`,
  );
  yield atMost(
    "viewer/world-view-flight-bytes",
    bytes / 1e6,
    "MB of meshes",
    MESH_MB,
    "the most at any time",
  );
  yield told(
    "viewer/world-view-flight-frame",
    updateMs + renderMs,
    "ms a picture",
    `on the page's thread: update ${updateMs.toFixed(2)}, longest ${longestUpdateMs.toFixed(1)}, render ${renderMs.toFixed(2)}, longest ${longestRenderMs.toFixed(1)}; ${frames} pictures, up to ${triangles} triangles and ${drawCalls} draw calls`,
  );
}
