import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { canOpenBrowser, openBrowser, servePrograms } from "@orthant/testkit/browser";
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
