import { fileURLToPath } from "node:url";
import { rendererBytes, servePrograms } from "@orthant/testkit/browser";
import type { Browser } from "playwright-core";
import { atMost, type Figure, median, told } from "../figure.ts";
import { sized } from "../size.ts";
import type { WorldViewPage } from "./world-view-page.ts";

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
const VISITS = sized(10, 1);
const VISITS_MB = 32;

/**
 * Question: what does it cost to have a world in a scene of three.js?
 * Budgets: 8 seconds to see 144 voxels far and 25 to see 256, since players wait for it; an edit within two pictures, which
 * looks immediate; and no more memory after ten visits to a far place.
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
      const remark = `${share.toFixed(2)} of what the viewer's page takes for its own 176 voxels, without light and textures`;
      yield atMost(`viewer/world-view-${distance}`, found.ms / 1000, "s", seconds, remark);
      yield told(
        `viewer/world-view-${distance}-frame`,
        found.frameMs,
        "ms a picture",
        `on the page's thread; ${found.triangles} triangles, ${found.drawCalls} draw calls, ${(found.bytes / 1e6).toFixed(1)} MB`,
      );
    }
    const edits: number[] = [];
    for (let edit = 0; edit < EDITS; edit++) edits.push(await opened.evaluate(() => page.edit()));
    yield atMost("viewer/world-view-edit", median(edits), "pictures", EDIT_FRAMES, `p50 of ${EDITS}`);
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
