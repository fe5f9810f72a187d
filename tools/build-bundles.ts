import { join } from "node:path";
import { type Bundle, outdatedBundles } from "@orthant/testkit/packages";
import { build } from "vite";

// Usage: node build/tools/build-bundles.js
// Joins the compiled modules of each package into the few files that Node loads. Node takes a millisecond or two for
// every file, and the command line alone has five hundred modules. Other packages stay imports, so that there is one
// copy of each. Browsers get the modules, of which a bundler takes what a page needs.

const FOLDER = "dist/bundled";

for (const bundle of outdatedBundles()) await bundlePackage(bundle);

async function bundlePackage({ folder, entries }: Bundle): Promise<void> {
  await build({
    root: folder,
    configFile: false,
    logLevel: "error",
    publicDir: false,
    build: {
      ssr: true,
      outDir: FOLDER,
      emptyOutDir: true,
      target: "es2022",
      minify: false,
      rolldownOptions: {
        input: Object.fromEntries(
          [...entries].map(([path, compiled]) => [nameOf(path), join(folder, compiled)]),
        ),
        preserveEntrySignatures: "strict",
        external: (id) => !/^[./]/.test(id),
        output: { entryFileNames: "[name].js", chunkFileNames: "[name]-[hash].js" },
      },
    },
  });
}

function nameOf(path: string): string {
  return path.slice(`./${FOLDER}/`.length, -".js".length);
}
