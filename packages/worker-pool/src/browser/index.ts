/**
 * Pools of web workers: they generate chunks and build meshes beside a page.
 *
 * @module @orthant/worker-pool/browser
 */

import { requireFunction } from "@orthant/core/arguments";
import type { GenerationPool } from "@orthant/core/generate";
import { openGeneration } from "../generation/generation-space.ts";
import { WorkerGenerators } from "../generation/worker-generators.ts";
import { MeshPool } from "../mesh/mesh-pool.ts";
import { openMeshes } from "../mesh/mesh-space.ts";
import type { WorkerAnswer } from "../pool/job-messages.ts";
import {
  type PlatformWorker,
  type PlatformWorkerEvents,
  WorkerPool,
  type WorkerPoolOptions,
} from "../pool/worker-pool.ts";
import { runJobs } from "./run-jobs.ts";

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

/** Options of a pool in a browser. */
export interface BrowserPoolOptions extends WorkerPoolOptions {
  /**
   * Starts the program of the pool, if the page has it at another address: `@orthant/worker-pool/browser/worker` for chunks,
   * `@orthant/worker-pool/browser/mesh-worker` for meshes. By default bundlers find it by its address in this module.
   */
  readonly startWorker?: () => Worker;
}

/**
 * Creates a pool of web workers that generate chunks. They start with the first work.
 *
 * @example
 * const pool = generationPool({ workers: 2 });
 */
export function generationPool(options: BrowserPoolOptions = {}): GenerationPool {
  const own = (): Worker => new Worker(new URL("./worker.js", import.meta.url), { type: "module" });
  return new WorkerGenerators(workersOf(own, options));
}

/**
 * Creates a pool of web workers that build meshes, with their light, and generate chunks.
 *
 * @example
 * const pool = meshPool({ workers: 2 });
 */
export function meshPool(options: BrowserPoolOptions = {}): MeshPool {
  const own = (): Worker => new Worker(new URL("./mesh-worker.js", import.meta.url), { type: "module" });
  return new MeshPool(workersOf(own, options));
}

/**
 * Makes this web worker one of a mesh pool, for a program that is also something else: call it when the first message says
 * so, before those of the pool.
 *
 * @example
 * onmessage = ({ data }) => {
 *   onmessage = null;
 *   if (data === "meshes") serveMeshes();
 * };
 */
export function serveMeshes(): void {
  runJobs([openGeneration, openMeshes]);
}

function workersOf(own: () => Worker, { startWorker = own, ...options }: BrowserPoolOptions): WorkerPool {
  const workers = Math.max(1, (navigator.hardwareConcurrency || 2) - 1);
  requireFunction("startWorker", startWorker);
  const start = (events: PlatformWorkerEvents): PlatformWorker => attach(startWorker(), events);
  return new WorkerPool({ workers, start, mayImport: () => true }, options);
}

function attach(worker: Worker, { onAnswer, onFailure }: PlatformWorkerEvents): PlatformWorker {
  worker.addEventListener("message", ({ data }: MessageEvent<WorkerAnswer>) => onAnswer(data));
  worker.addEventListener("messageerror", () => onFailure("an answer could not be read"));
  worker.addEventListener("error", ({ message }) => onFailure(message || "it cannot be loaded"));
  return {
    post: (request, transfer) => worker.postMessage(request, transfer),
    setBusy: () => undefined,
    stop: async () => worker.terminate(),
  };
}
