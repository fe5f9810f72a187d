/**
 * Pools of worker threads: they generate chunks and build meshes off a program's main thread.
 *
 * @module @orthant/worker-pool/node
 */

import { createRequire } from "node:module";
import { availableParallelism } from "node:os";
import { pathToFileURL } from "node:url";
import { Worker } from "node:worker_threads";
import type { GenerationPool } from "@orthant/core/generate";
import { WorkerGenerators } from "../generation/worker-generators.ts";
import { MeshPool } from "../mesh/mesh-pool.ts";
import {
  type PlatformWorker,
  type PlatformWorkerEvents,
  WorkerPool,
  type WorkerPoolOptions,
} from "../pool/worker-pool.ts";

export {
  type MeshJobOptions,
  type MeshPool,
  type MeshScene,
  type MeshSceneOptions,
  URGENT,
} from "../mesh/mesh-pool.ts";
export { type SceneSource, type SourceGenerators, stateSource } from "../mesh/scene-source.ts";
export type { MeshSection } from "../mesh/section-box.ts";
export type { Priority } from "../pool/waiting-jobs.ts";
export type { WorkerPoolOptions } from "../pool/worker-pool.ts";

/**
 * Creates a pool of worker threads that generate chunks. They start with the first work and do not keep the process
 * alive when they are idle.
 *
 * @example
 * const pool = generationPool({ workers: 2 });
 */
export function generationPool(options: WorkerPoolOptions = {}): GenerationPool {
  return new WorkerGenerators(workersOf("@orthant/worker-pool/node/worker", options));
}

/**
 * Creates a pool of worker threads that build meshes, with their light, and generate chunks.
 *
 * @example
 * const pool = meshPool({ workers: 2 });
 */
export function meshPool(options: WorkerPoolOptions = {}): MeshPool {
  return new MeshPool(workersOf("@orthant/worker-pool/node/mesh-worker", options));
}

/** Programs are found by the package's own name, which leads to compiled code even when this module runs from its source. */
function workersOf(program: string, options: WorkerPoolOptions): WorkerPool {
  const workers = Math.max(1, availableParallelism() - 1);
  const start = (events: PlatformWorkerEvents): PlatformWorker =>
    attach(pathToFileURL(createRequire(import.meta.url).resolve(program)), events);
  return new WorkerPool({ workers, start, mayImport }, options);
}

function attach(program: URL, { onAnswer, onFailure }: PlatformWorkerEvents): PlatformWorker {
  const worker = new Worker(program, { name: "orthant worker", execArgv: [], stdin: false });
  worker.unref();
  worker.on("message", onAnswer);
  worker.on("messageerror", (error) => onFailure(error.message));
  worker.on("error", (error) => onFailure(error.message));
  worker.on("exit", (code) => onFailure(`it exited with code ${code}`));
  return {
    post: (request, transfer) => worker.postMessage(request, transfer),
    setBusy: (isBusy) => (isBusy ? worker.ref() : worker.unref()),
    stop: async () => {
      await worker.terminate();
    },
  };
}

/** The main program would run a second time. */
function mayImport(module: string): boolean {
  const [, program] = process.argv;
  return program === undefined || pathToFileURL(program).href !== module;
}
