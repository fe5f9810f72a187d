import { resolve } from "node:path";
import { build } from "vite";
import { sharedWorker, withoutPoolPrograms } from "../page-plugins.ts";
import { documentHtml, type PageFrame, TRY_URL } from "./page-html.ts";

const PROGRAM = "browser-page";
/** Before compression; three.js is most of it. */
const CHUNK_KILOBYTES_MAX = 800;

/** Returns the page with the viewer, and a world that the browser keeps. */
export function tryPageHtml(frame: PageFrame): string {
  const body = `<p class="worlds">This world is only in this browser.
<a href="index.html">A valley in 3D</a> <a href="index.html?world=isles">Isles in 4D</a></p>
<div id="world"></div>
<script type="module" src="${PROGRAM}.js"></script>`;
  return documentHtml(TRY_URL, "Try Orthant", "Try it", body, frame).replace(
    "<body>",
    '<body class="world">',
  );
}

/** Builds the programs of that page into a folder. */
export async function buildTryPage(folder: string): Promise<void> {
  await build({
    root: "packages/viewer",
    configFile: false,
    logLevel: "error",
    base: "./",
    publicDir: false,
    resolve: { conditions: ["@orthant/source", "module", "browser"] },
    plugins: [withoutPoolPrograms(), sharedWorker()],
    build: {
      outDir: resolve(folder),
      emptyOutDir: false,
      target: "es2022",
      modulePreload: false,
      chunkSizeWarningLimit: CHUNK_KILOBYTES_MAX,
      rolldownOptions: {
        input: `packages/viewer/src/${PROGRAM}.ts`,
        output: { entryFileNames: "[name].js", chunkFileNames: "[name]-[hash].js" },
      },
    },
  });
}
