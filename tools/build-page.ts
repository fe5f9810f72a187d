import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { build, type InlineConfig, type Plugin } from "vite";
import { sharedWorker, withoutPoolPrograms } from "./page-plugins.ts";

// Usage: node build/tools/build-page.js
// Builds what browsers load of the viewer, unless it is newer than all of its sources: its own page, and the
// modules that other pages import.

const VIEWER = "packages/viewer";
const BUILT = join(VIEWER, "dist/page/index.html");
/** Before compression; three.js is most of it. */
const CHUNK_KILOBYTES_MAX = 700;
/** The packages bundled into the page, which make it outdated when they change. */
const INSIDE = [
  "client",
  "core",
  "disk",
  "formats",
  "mesh",
  "protocol",
  "save",
  "three",
  "viewer",
  "worker-pool",
  "world",
];

/** The worker's address in the source, and in what is published, where bundlers look for this expression. */
const SOURCE_ADDRESS = 'new URL("./world-worker.ts", import.meta.url)';
const PUBLISHED_ADDRESS = 'new URL("./world-worker.js", import.meta.url)';
const ADDRESS_MARK = "WORLD_WORKER_ADDRESS";

const SETTINGS = {
  root: VIEWER,
  configFile: false,
  logLevel: "error",
  resolve: { conditions: ["@orthant/source", "module", "browser"] },
} satisfies InlineConfig;

if (!existsSync(BUILT) || newest() > statSync(BUILT).mtimeMs) {
  await buildModules({ index: "src/index.ts", "worker-client": "src/worker-client.ts" });
  // Alone, so that it is one file without imports, which every kind of page can load.
  await buildModules({ "world-worker": "src/world-worker.ts" }, true);
  await buildPage();
}

async function buildPage(): Promise<void> {
  await build({
    ...SETTINGS,
    // The page may be served below any path.
    base: "./",
    plugins: [withoutPoolPrograms(), sharedWorker()],
    build: {
      outDir: "dist/page",
      emptyOutDir: true,
      target: "es2022",
      // What is fetched on demand is fetched by workers, which have no document to preload it.
      modulePreload: {
        polyfill: false,
        resolveDependencies: (_file, parts, { hostType }) => (hostType === "html" ? parts : []),
      },
      chunkSizeWarningLimit: CHUNK_KILOBYTES_MAX,
    },
  });
}

/** Builds modules for other pages, with everything that they import. */
async function buildModules(input: Readonly<Record<string, string>>, isOneFile = false): Promise<void> {
  await build({
    ...SETTINGS,
    publicDir: false,
    plugins: [withoutPoolPrograms(), publishedWorkerAddress()],
    build: {
      outDir: "dist/browser",
      emptyOutDir: "index" in input,
      target: "es2022",
      modulePreload: false,
      chunkSizeWarningLimit: CHUNK_KILOBYTES_MAX,
      rolldownOptions: {
        input: Object.fromEntries(Object.entries(input).map(([name, path]) => [name, join(VIEWER, path)])),
        preserveEntrySignatures: "strict",
        output: {
          entryFileNames: "[name].js",
          chunkFileNames: "[name]-[hash].js",
          ...(isOneFile && { codeSplitting: false }),
        },
      },
    },
  });
}

/** Keeps the worker a file of its own: Vite would bundle it and hide its address from other bundlers. */
function publishedWorkerAddress(): Plugin {
  return {
    name: "published-worker-address",
    enforce: "pre",
    transform: (code) =>
      code.includes(SOURCE_ADDRESS) ? code.replace(SOURCE_ADDRESS, ADDRESS_MARK) : undefined,
    generateBundle(_options, bundle) {
      for (const part of Object.values(bundle)) {
        if (part.type === "chunk") part.code = part.code.replace(ADDRESS_MARK, PUBLISHED_ADDRESS);
      }
    },
  };
}

function newest(): number {
  const folders = [...INSIDE.map((name) => `packages/${name}/src`), join(VIEWER, "public")];
  const files = folders.flatMap((folder) =>
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => join(parentPath, name)),
  );
  const configuration = ["index.html", "package.json"].map((name) => join(VIEWER, name));
  return Math.max(...[...files, ...configuration, "package-lock.json"].map((path) => statSync(path).mtimeMs));
}
