import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { build } from "vite";

// Usage: node build/tools/build-page.js
// Builds the page of the viewer, unless it is newer than all of its sources.

const VIEWER = "packages/viewer";
const BUILT = join(VIEWER, "dist/page/index.html");
/** Before compression; three.js is most of it. */
const CHUNK_KILOBYTES_MAX = 700;
/** The packages bundled into the page, which make it outdated when they change. */
const INSIDE = ["client", "core", "disk", "formats", "mesh", "protocol", "viewer", "world"];

if (!existsSync(BUILT) || newest() > statSync(BUILT).mtimeMs) {
  await build({
    root: VIEWER,
    configFile: false,
    logLevel: "error",
    // The page may be served below any path.
    base: "./",
    resolve: { conditions: ["@orthant/source", "module", "browser"] },
    worker: { format: "es" },
    build: {
      outDir: "dist/page",
      emptyOutDir: true,
      target: "es2022",
      modulePreload: { polyfill: false },
      chunkSizeWarningLimit: CHUNK_KILOBYTES_MAX,
    },
  });
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
