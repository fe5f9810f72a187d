/**
 * Starts the worker's program, a file beside the viewer's own. Bundlers that know this expression (Vite,
 * webpack) bundle the file; with others, pass the option `worker`.
 */
export function startWorldWorker(): Worker {
  return new Worker(new URL("./world-worker.ts", import.meta.url), { type: "module" });
}
