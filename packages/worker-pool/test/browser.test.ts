import { fileURLToPath } from "node:url";
import { canOpenBrowser, openBrowser, servePrograms } from "@orthant/testkit/browser";
import { expect, onTestFinished, test } from "vitest";
import type { GenerationPage } from "./browser-page.ts";

declare const page: GenerationPage;

const program = (name: string): string => fileURLToPath(new URL(name, import.meta.url));

test.skipIf(!canOpenBrowser())(
  "web workers in Chromium generate what the page generates",
  async () => {
    const programs = await servePrograms({
      page: program("./browser-page.ts"),
      worker: program("../src/browser/worker.ts"),
    });
    onTestFinished(() => programs.close());
    const browser = await openBrowser();
    onTestFinished(() => browser.close());
    const opened = await browser.newPage();
    await opened.goto(programs.origin);
    await opened.waitForFunction(() => "page" in globalThis);
    const { isSame, leaves } = await opened.evaluate(() => page.generate());
    expect(isSame).toBe(true);
    expect(leaves).toBeGreaterThan(10);
  },
  120_000,
);
