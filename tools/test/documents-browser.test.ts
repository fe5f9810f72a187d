import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { DEFAULT_BLOCKS, terrain } from "@orthant/core";
import { MemoryDisk } from "@orthant/disk";
import type { VolumeMesh } from "@orthant/mesh/volume";
import { createServer } from "@orthant/server";
import { canOpenBrowser, openBrowser } from "@orthant/testkit/browser";
import { createWorld } from "@orthant/world";
import { build } from "vite";
import { expect, onTestFinished, test } from "vitest";

const GUIDE = "docs/guides/worlds-in-the-browser.md";
const BLOCK = /^```js\n(?<code>.*?)^```$/gms;
/** Answers the page with what became of an export that is imported again. */
const CHECK_ARCHIVES = `
addEventListener("message", async ({ data }) => {
  if (data !== "check") return;
  await exportWorld().then(importWorld).then(() => postMessage("done"), ({ message }) => postMessage(message));
});`;
const ASK_WORKER = `
globalThis.ended = new Promise((resolve) => {
  worker.addEventListener("message", ({ data }) => resolve(data));
  worker.postMessage("check");
});
globalThis.block = world.voxelAt([0, 40, 0]);`;

declare const ended: Promise<string>;
declare const block: number;
declare const meshes: readonly VolumeMesh[];

test.skipIf(!canOpenBrowser())(
  "the code of the guide to worlds in the browser runs in Chromium, in a worker and in its page",
  async () => {
    const guide = readFileSync(GUIDE, "utf8");
    const [opens = "", joins = "", ...archives] = [...guide.matchAll(BLOCK)].map(
      ({ groups }) => groups?.["code"] ?? "",
    );
    const browser = await openBrowser();
    onTestFinished(() => browser.close());
    const resultOf = async (worker: string): Promise<string> => {
      const context = await browser.newContext();
      const page = await context.newPage();
      const url = await serveGame(`${joins}${ASK_WORKER}`, {
        "world-worker.js": `${worker}${CHECK_ARCHIVES}`,
      });
      await page.goto(url.replace(/^ws/, "http"));
      await page.waitForFunction(() => "block" in globalThis);
      expect(await page.evaluate(() => block)).toBe(DEFAULT_BLOCKS.id("brick"));
      const result = await page.evaluate(() => ended);
      await context.close();
      return result;
    };
    const worker = [opens, ...archives].join("\n");
    expect(await resultOf(worker)).toBe("done");
    const broken = worker.replace("await unpackTar(file)", "await unpackTar(new Blob([]))");
    expect(await resultOf(broken)).toContain("ORT_TRUNCATED");
  },
  120_000,
);

const MESH_PAGE = "docs/reference/mesh.md";
const VIEWER_GUIDE = "docs/guides/view-a-world.md";
const GUIDE_SERVER = /"ws:\/\/127\.0\.0\.1:7440"/g;

/** Builds a page from a program, as a game would with Vite, and serves it with a strict policy. */
async function serveGame(program: string, files: Readonly<Record<string, string>> = {}): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "orthant-guide-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  symlinkSync(resolve("node_modules"), join(folder, "node_modules"));
  const style = { "game.css": "#world { height: 300px }" };
  for (const [name, text] of Object.entries({ ...style, ...files })) writeFileSync(join(folder, name), text);
  writeFileSync(join(folder, "game.js"), `import "./game.css";\n${program}`);
  const html = '<!doctype html><div id="world"></div><script type="module" src="./game.js"></script>';
  writeFileSync(join(folder, "index.html"), html);
  await build({ root: folder, configFile: false, logLevel: "error", build: { target: "es2022" } });
  const world = await createWorld(
    new MemoryDisk(),
    { name: "A page", dimensions: 3, generator: terrain({ seed: 7n }) },
    { autosave: false },
  );
  const page = { folder: join(folder, "dist"), contentSecurityPolicy: {} };
  const server = await createServer({ world, logger: false, page, closeWorld: true });
  onTestFinished(() => server.close());
  return server.url;
}

test.skipIf(!canOpenBrowser())(
  "the code of the guide to the viewer mounts it in a page that Vite built, and runs its worker alone",
  async () => {
    const guide = readFileSync(VIEWER_GUIDE, "utf8");
    const blocks = [...guide.matchAll(BLOCK)].map(({ groups }) => groups?.["code"] ?? "");
    expect(blocks).toHaveLength(3);
    const [mounts = "", closes = "", opensWorker = ""] = blocks.map((code) =>
      code.replace(GUIDE_SERVER, "location.origin"),
    );
    const browser = await openBrowser();
    onTestFinished(() => browser.close());
    const page = await browser.newPage();
    const said: string[] = [];
    page.on("console", (message) => {
      // The page has no icon, for which browsers ask.
      if (!message.location().url.endsWith("/favicon.ico")) said.push(`${message.type()} ${message.text()}`);
    });
    page.on("pageerror", (error) => said.push(`error ${error}`));
    const open = async (program: string): Promise<void> =>
      void (await page.goto((await serveGame(program)).replace(/^ws/, "http")));

    await open(mounts);
    await page.locator("#world #world-name", { hasText: "A page" }).waitFor({ timeout: 120_000 });
    await open(`${mounts}${closes}globalThis.isClosed = true;`);
    await page.waitForFunction(() => "isClosed" in globalThis);
    expect(await page.locator("orthant-viewer").count()).toBe(0);
    await open(opensWorker);
    await expect.poll(() => said.join("\n"), { timeout: 120_000 }).toMatch(/draw [1-9]\d* pixels at/);
    expect(said.filter((text) => /^(?:error|warning)/.test(text))).toEqual([]);
  },
  300_000,
);

test.skipIf(!canOpenBrowser())(
  "the code of the page about meshes builds them in workers of a page that Vite built",
  async () => {
    const [code = ""] = [...readFileSync(MESH_PAGE, "utf8").matchAll(BLOCK)].map(
      ({ groups }) => groups?.["code"] ?? "",
    );
    const browser = await openBrowser();
    onTestFinished(() => browser.close());
    const page = await browser.newPage();
    const url = await serveGame(`${code}globalThis.meshes = meshes;`);
    await page.goto(url.replace(/^ws/, "http"));
    await page.waitForFunction(() => "meshes" in globalThis, undefined, { timeout: 120_000 });
    const quads = await page.evaluate(() => meshes.map(({ opaque }) => opaque.length / 4));
    expect(quads).toHaveLength(4);
    expect(Math.min(...quads)).toBeGreaterThan(0);
    expect(Math.max(...quads)).toBeGreaterThan(100);
  },
  300_000,
);

test("the code of the guide to drawing is the page that its starter's test runs", () => {
  const guide = readFileSync("docs/guides/draw-it-yourself.md", "utf8");
  const blocks = [...guide.matchAll(BLOCK)].map(({ groups }) => groups?.["code"] ?? "");
  expect(blocks.join("\n")).toBe(readFileSync("examples/draw-it-yourself/page/main.js", "utf8"));
});
