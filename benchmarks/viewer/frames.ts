// Usage: node build/benchmarks/viewer/frames.js
// Serves a page that measures frames a second with the graphics card of the browser that opens it, until Ctrl-C.
import { fileURLToPath } from "node:url";
import { servePrograms } from "@orthant/testkit/browser";

const { origin } = await servePrograms({
  frames: fileURLToPath(new URL("./frames-page.js", import.meta.url)),
  worker: fileURLToPath(import.meta.resolve("@orthant/worker-pool/browser/mesh-worker")),
});
process.stdout.write(`Open ${origin} in a browser, and leave its window in front.\n`);
