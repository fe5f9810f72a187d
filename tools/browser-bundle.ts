import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { build } from "vite";

/** Packages that must also run in a browser, bundled completely to prove it. */
const BROWSER_PACKAGES = [
  "@orthant/core",
  "@orthant/client",
  "@orthant/disk/browser",
  "@orthant/mesh",
  "@orthant/mesh/looks",
  "@orthant/world",
  "orthant/client",
  "orthant/worker",
];

/** Size of a package in a browser, with all of its exports. */
export interface BundleSize {
  readonly name: string;
  readonly bytes: number;
  readonly gzipBytes: number;
}

/** Bundles every browser package. Throws when one of them needs something that browsers lack. */
export async function bundleForBrowser(): Promise<readonly BundleSize[]> {
  const sizes: BundleSize[] = [];
  for (const name of BROWSER_PACKAGES) sizes.push(await bundle(name));
  return sizes;
}

async function bundle(name: string): Promise<BundleSize> {
  const entry = fileURLToPath(import.meta.resolve(name));
  const result = await build({
    configFile: false,
    logLevel: "silent",
    build: { write: false, target: "es2022", lib: { entry, formats: ["es"], fileName: "bundle" } },
  });
  const [output] = [result].flat();
  if (output === undefined || !("output" in output)) throw new Error(`no bundle of ${name}`);
  const chunks = output.output.filter((part) => part.type === "chunk");
  const outside = chunks.flatMap(({ imports, dynamicImports }) => [...imports, ...dynamicImports]);
  if (chunks.length !== 1 || outside.length > 0) {
    throw new Error(`${name} needs ${outside.join(", ")} in a browser`);
  }
  const code = chunks.map((chunk) => chunk.code).join("\n");
  // Vite's placeholder for a module that only Node has.
  if (code.includes("__vite-browser-external")) throw new Error(`${name} imports a module of Node's`);
  return { name, bytes: Buffer.byteLength(code), gzipBytes: gzipSync(code).length };
}
