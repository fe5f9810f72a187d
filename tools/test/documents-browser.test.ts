import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { terrain } from "@orthant/core";
import { MemoryDisk } from "@orthant/disk";
import type { VolumeMesh } from "@orthant/mesh/volume";
import { createServer } from "@orthant/server";
import { canOpenBrowser, openBrowser, servePrograms } from "@orthant/testkit/browser";
import { createWorld } from "@orthant/world";
import { build } from "vite";
import { expect, onTestFinished, test } from "vitest";

const GUIDE = "docs/guides/worlds-in-the-browser.md";
const BLOCK = /^```js\n(?<code>.*?)^```$/gms;
/** Runs the program of the guide and waits for its result. */
const STARTER = `
const worker = new Worker("/guide.js", { type: "module" });
globalThis.ended = new Promise((resolve) => {
  worker.addEventListener("message", ({ data }) => resolve(data));
  worker.addEventListener("error", ({ message }) => resolve(message));
});`;

declare const ended: Promise<string>;
declare const meshes: readonly VolumeMesh[];

/** Runs the code of a guide as a worker. Returns the worker's last message. */
async function runInWorker(guide: string): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "orthant-guide-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  symlinkSync(resolve("node_modules"), join(folder, "node_modules"));
  const blocks = [...guide.matchAll(BLOCK)].map(({ groups }) => groups?.["code"] ?? "");
  writeFileSync(join(folder, "guide.js"), [...blocks, 'postMessage("done");'].join("\n"));
  writeFileSync(join(folder, "starter.js"), STARTER);
  const programs = await servePrograms({
    starter: join(folder, "starter.js"),
    guide: join(folder, "guide.js"),
  });
  onTestFinished(() => programs.close());
  const browser = await openBrowser();
  onTestFinished(() => browser.close());
  const page = await browser.newPage();
  await page.goto(programs.origin);
  await page.waitForFunction(() => "ended" in globalThis);
  return page.evaluate(() => ended);
}

test.skipIf(!canOpenBrowser())(
  "the code of the guide to worlds in the browser runs in a Chromium worker",
  async () => {
    const guide = readFileSync(GUIDE, "utf8");
    expect(await runInWorker(guide)).toBe("done");
    const broken = guide.replace("await unpackTar(file)", "await unpackTar(new Blob([]))");
    expect(await runInWorker(broken)).toContain("ORT_TRUNCATED");
  },
  120_000,
);

const MESH_PAGE = "docs/reference/mesh.md";
const VIEWER_GUIDE = "docs/guides/view-a-world.md";
const GUIDE_SERVER = /"ws:\/\/127\.0\.0\.1:7440"/g;

/** Builds a page from a program, as a game would with Vite, and serves it with a strict policy. */
async function serveGame(program: string): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "orthant-guide-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  symlinkSync(resolve("node_modules"), join(folder, "node_modules"));
  writeFileSync(join(folder, "game.css"), "#world { height: 300px }");
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
    await expect.poll(() => said.join("\n"), { timeout: 120_000 }).toMatch(/draw [1-9]\d* quads at/);
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
