// Runs in a browser: measures frames a second in flights over a world, and shows them.
import { page } from "./world-view-page.ts";

declare const document: {
  readonly body: { append(element: unknown): void };
  createElement(name: string): { textContent: string | null };
};
declare const innerWidth: number;
declare const innerHeight: number;

const DISTANCES = [144, 256];
const SECONDS = 20;

const shown = document.createElement("pre");
document.body.append(shown);
const say = (text: string): void => {
  shown.textContent = `${shown.textContent ?? ""}${text}\n`;
};

say(`${page.resize(innerWidth, innerHeight)}, ${innerWidth} x ${innerHeight} pixels`);
for (const distance of DISTANCES) {
  const { ms } = await page.complete(distance);
  if (distance === DISTANCES[0]) await page.build();
  const { frames, updateMs, longestUpdateMs, renderMs, longestRenderMs, triangles, drawCalls } =
    await page.fly(SECONDS);
  say(
    `${distance} voxels: complete after ${(ms / 1000).toFixed(1)} s; ${(frames / SECONDS).toFixed(1)} frames a second; ` +
      `update ${updateMs.toFixed(1)} ms, longest ${longestUpdateMs.toFixed(1)}; render ${renderMs.toFixed(1)} ms, ` +
      `longest ${longestRenderMs.toFixed(1)}; up to ${triangles} triangles, ${drawCalls} draw calls`,
  );
}
say("done");
