import { type Browser, type BrowserContext, chromium } from "playwright-core";
import { findChromium } from "./find-chromium.ts";

/** Makes Chromium contact no services and render without a graphics card. */
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

/** Whether browser tests can run: a browser is installed, or this is CI, where a missing one must fail. */
export function canOpenBrowser(): boolean {
  const isCi = process.env["CI"] !== undefined && process.env["CI"] !== "";
  if (findChromium() !== undefined || isCi) return true;
  process.stderr.write("no Chromium in the path: nothing is tried in a browser\n");
  return false;
}

/** Starts the installed Chromium. Its pages' storage is temporary. */
export async function openBrowser(): Promise<Browser> {
  return chromium.launch(options());
}

/** Starts the installed Chromium with a folder that keeps its pages' storage. */
export async function openProfile(folder: string): Promise<BrowserContext> {
  return chromium.launchPersistentContext(folder, options());
}

/** Ends a browser with SIGKILL, so that nothing in it can finish. */
export async function killBrowser(context: BrowserContext): Promise<void> {
  const session = await context.browser()?.newBrowserCDPSession();
  const { processInfo } = (await session?.send("SystemInfo.getProcessInfo")) ?? { processInfo: [] };
  const closed = new Promise((resolve) => context.once("close", resolve));
  for (const { type, id } of processInfo) if (type === "browser") process.kill(id, "SIGKILL");
  await closed;
}

function options(): { executablePath: string; args: string[] } {
  return { executablePath: findChromium() ?? "chromium", args: [...ARGUMENTS] };
}
