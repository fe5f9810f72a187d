import { once } from "node:events";
import { accessSync, constants, readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { delimiter, join } from "node:path";
import { type Browser, type BrowserContext, chromium } from "playwright-core";
import { build } from "vite";

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

const NAMES = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];
const FOLDERS = ["/usr/bin", "/usr/local/bin", "/snap/bin", "/opt/google/chrome"];

/** Returns the path of a Chromium in PATH or one of the usual folders; `undefined` if there is none. */
function findChromium(): string | undefined {
  const folders = [...(process.env["PATH"] ?? "").split(delimiter), ...FOLDERS];
  return NAMES.flatMap((name) => folders.map((folder) => join(folder, name))).find(isExecutable);
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false; // not there
  }
}

/** Programs for a browser, served from their own origin. */
export interface ServedPrograms {
  /** Serves an empty page with the first program. */
  readonly origin: string;
  close(): void;
}

/** Bundles each program, as a game would ship it, and serves it at `/NAME.js`; a page runs the first. */
export async function servePrograms(programs: Readonly<Record<string, string>>): Promise<ServedPrograms> {
  const bundles = new Map<string, string>();
  for (const [name, path] of Object.entries(programs)) bundles.set(`/${name}.js`, await bundle(path));
  const [first = ""] = bundles.keys();
  const server = createServer((request, response) => {
    const code = bundles.get(request.url ?? "");
    response.setHeader("content-type", code === undefined ? "text/html" : "text/javascript");
    response.end(code ?? `<!doctype html><script type="module" src="${first}"></script>`);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return { origin: `http://127.0.0.1:${port}`, close: () => server.close() };
}

async function bundle(entry: string): Promise<string> {
  const result = await build({
    configFile: false,
    logLevel: "silent",
    resolve: { conditions: ["@orthant/source", "module", "browser"] },
    build: { write: false, target: "es2022", lib: { entry, formats: ["es"], fileName: "program" } },
  });
  const [output] = [result].flat();
  if (output === undefined || !("output" in output)) throw new Error(`no bundle of ${entry}`);
  return output.output.map((part) => (part.type === "chunk" ? part.code : "")).join("\n");
}

/** Returns the memory of all pages of a browser with their workers; 0 if the system does not report it. */
export async function rendererBytes(browser: Browser): Promise<number> {
  const session = await browser.newBrowserCDPSession();
  const { processInfo } = await session.send("SystemInfo.getProcessInfo");
  await session.detach();
  return processInfo
    .filter(({ type }) => type === "renderer")
    .reduce((sum, { id }) => sum + residentBytes(id), 0);
}

function residentBytes(processId: number): number {
  try {
    const status = readFileSync(`/proc/${processId}/status`, "utf8");
    return Number(/^VmRSS:\s+(?<kibibytes>\d+) kB$/m.exec(status)?.groups?.["kibibytes"] ?? 0) * 1024;
  } catch {
    return 0; // gone meanwhile, or a system without such files
  }
}
