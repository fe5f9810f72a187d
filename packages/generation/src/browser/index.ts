import type { GenerationPool } from "@orthant/core";
import type { WorkerAnswer } from "../pool/job-messages.ts";
import {
  type GenerationWorker,
  type WorkerEvents,
  WorkerPool,
  type WorkerPoolOptions,
} from "../pool/worker-pool.ts";

export type { WorkerPoolOptions } from "../pool/worker-pool.ts";

/**
 * Creates a pool of web workers, which start with the first work. Bundlers find the program of the workers by
 * its address in this module.
 *
 * @example
 * const pool = generationPool({ workers: 2 });
 */
export function generationPool(options: WorkerPoolOptions = {}): GenerationPool {
  const workers = Math.max(1, (navigator.hardwareConcurrency || 2) - 1);
  return new WorkerPool({ workers, start, mayImport: () => true }, options);
}

function start({ onAnswer, onFailure }: WorkerEvents): GenerationWorker {
  const worker = new Worker(new URL("./worker.js", import.meta.url), { type: "module" });
  worker.addEventListener("message", ({ data }: MessageEvent<WorkerAnswer>) => onAnswer(data));
  worker.addEventListener("messageerror", () => onFailure("an answer could not be read"));
  worker.addEventListener("error", ({ message }) => onFailure(message || "it cannot be loaded"));
  return {
    post: (request) => worker.postMessage(request),
    setBusy: () => undefined,
    stop: async () => worker.terminate(),
  };
}
