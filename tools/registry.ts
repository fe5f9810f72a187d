import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { packPackages, serveRegistry } from "@orthant/testkit/packages";

// Usage: node build/tools/registry.js
// Packs every package and serves them to npm on this machine until Ctrl-C, as if they were published.

const PORT = 4873;

const folder = mkdtempSync(join(tmpdir(), "orthant-registry-"));
const registry = await serveRegistry(packPackages(folder), PORT);
console.log(`export npm_config_registry=${registry.url}`);
process.once("SIGINT", () => {
  registry.close();
  rmSync(folder, { recursive: true });
});
