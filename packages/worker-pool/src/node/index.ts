/**
 * A pool of worker threads that generates chunks off a program's main thread.
 *
 * @module @orthant/worker-pool/node
 */

import { createRequire } from "node:module";
import { availableParallelism } from "node:os";
import { pathToFileURL } from "node:url";
import { Worker } from "node:worker_threads";
import type { GenerationPool } from "@orthant/core/generate";
import {
  type GenerationWorker,
  type GenerationWorkerEvents,
  WorkerPool,
  type WorkerPoolOptions,
} from "../pool/worker-pool.ts";

export type { WorkerPoolOptions } from "../pool/worker-pool.ts";

/**
 * Creates a pool of worker threads. They start with the first work and do not keep the process alive when they
 * are idle.
 *
 * @example
 * const pool = generationPool({ workers: 2 });
 */
export function generationPool(options: WorkerPoolOptions = {}): GenerationPool {
  return new WorkerPool({ workers: Math.max(1, availableParallelism() - 1), start, mayImport }, options);
}

function start({ onAnswer, onFailure }: GenerationWorkerEvents): GenerationWorker {
  const worker = new Worker(workerProgram(), { name: "orthant generation", execArgv: [], stdin: false });
  worker.unref();
  worker.on("message", onAnswer);
  worker.on("messageerror", (error) => onFailure(error.message));
  worker.on("error", (error) => onFailure(error.message));
  worker.on("exit", (code) => onFailure(`it exited with code ${code}`));
  return {
    post: (request) => worker.postMessage(request),
    setBusy: (isBusy) => (isBusy ? worker.ref() : worker.unref()),
    stop: async () => {
      await worker.terminate();
    },
  };
}

/** The package's own name leads to compiled code even when this module runs from its source. */
function workerProgram(): URL {
  return pathToFileURL(createRequire(import.meta.url).resolve("@orthant/worker-pool/node/worker"));
}

/** The main program would run a second time. */
function mayImport(module: string): boolean {
  const [, program] = process.argv;
  return program === undefined || pathToFileURL(program).href !== module;
}
