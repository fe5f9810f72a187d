import { type Browser, chromium } from "playwright-core";
import { findChromium } from "./find-chromium.ts";

/** It asks nobody for anything, and draws without a graphics card. */
const ARGUMENTS: readonly string[] = [
  "--no-sandbox",
  "--no-first-run",
  "--disable-quic",
  "--disable-sync",
  "--disable-background-networking",
  "--disable-component-update",
  "--use-gl=angle",
  "--use-angle=swiftshader",
  "--enable-unsafe-swiftshader",
];

/** Whether tests in a browser can run: there is one, or this is CI, where it must not be missing. */
export function canOpenBrowser(): boolean {
  const isCi = process.env["CI"] !== undefined && process.env["CI"] !== "";
  if (findChromium() !== undefined || isCi) return true;
  process.stderr.write("no Chromium in the path: nothing is tried in a browser\n");
  return false;
}

/** Starts the Chromium of this machine. */
export async function openBrowser(): Promise<Browser> {
  return chromium.launch({ executablePath: findChromium() ?? "chromium", args: [...ARGUMENTS] });
}
