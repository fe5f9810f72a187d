/**
 * A pool of web workers that generates chunks beside a page.
 *
 * @module @orthant/worker-pool/browser
 */

import { requireFunction } from "@orthant/core/arguments";
import type { GenerationPool } from "@orthant/core/generate";
import type { WorkerAnswer } from "../pool/job-messages.ts";
import {
  type GenerationWorker,
  type GenerationWorkerEvents,
  WorkerPool,
  type WorkerPoolOptions,
} from "../pool/worker-pool.ts";

export type { WorkerPoolOptions } from "../pool/worker-pool.ts";

/** Options of a pool in a browser. */
export interface BrowserPoolOptions extends WorkerPoolOptions {
  /**
   * Starts the program `@orthant/worker-pool/browser/worker`, if the page has it at another address. By default
   * bundlers find it by its address in this module.
   */
  readonly startWorker?: () => Worker;
}

/**
 * Creates a pool of web workers, which start with the first work.
 *
 * @example
 * const pool = generationPool({ workers: 2 });
 */
export function generationPool(options: BrowserPoolOptions = {}): GenerationPool {
  const workers = Math.max(1, (navigator.hardwareConcurrency || 2) - 1);
  const { startWorker = ownWorker, ...others } = options;
  requireFunction("startWorker", startWorker);
  const start = (events: GenerationWorkerEvents): GenerationWorker => attach(startWorker(), events);
  return new WorkerPool({ workers, start, mayImport: () => true }, others);
}

function ownWorker(): Worker {
  return new Worker(new URL("./worker.js", import.meta.url), { type: "module" });
}

function attach(worker: Worker, { onAnswer, onFailure }: GenerationWorkerEvents): GenerationWorker {
  worker.addEventListener("message", ({ data }: MessageEvent<WorkerAnswer>) => onAnswer(data));
  worker.addEventListener("messageerror", () => onFailure("an answer could not be read"));
  worker.addEventListener("error", ({ message }) => onFailure(message || "it cannot be loaded"));
  return {
    post: (request) => worker.postMessage(request),
    setBusy: () => undefined,
    stop: async () => worker.terminate(),
  };
}
