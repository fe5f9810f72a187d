import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
import { Worker } from "node:worker_threads";
import { OrthantError } from "@orthant/core";
import type { ImportTasks, PieceCensus } from "@orthant/formats";
import type { EncodedLeaf } from "@orthant/save";
import { errorOf, type ImportAnswer, type ImportOrder, type ImportPlace } from "./import-messages.ts";

/** Pieces for each worker, so that none of them waits while an earlier piece is awaited. */
const PIECES_PER_WORKER = 3;
/** Heap of a worker, in MB: sixteen columns at a time fit in a fraction of it. */
const HEAP_MB = { maxOldGenerationSizeMb: 192, maxYoungGenerationSizeMb: 8 };

interface Waiting {
  resolve(answer: ImportAnswer): void;
  reject(error: unknown): void;
}

interface ImportWorker {
  readonly worker: Worker;
  /** What it has been asked, in order. */
  readonly waiting: Waiting[];
}

/** Works on the pieces of a world in several threads, each of which opens the world for itself. */
export class ImportThreads implements ImportTasks {
  readonly width: number;
  readonly #workers: readonly ImportWorker[];
  #failure: Error | undefined;

  constructor(place: ImportPlace, count: number) {
    this.width = count * PIECES_PER_WORKER;
    this.#workers = Array.from({ length: count }, () => this.#start(place));
  }

  async takeCensus(piece: number): Promise<PieceCensus> {
    return ((await this.#ask({ task: "census", piece })) as { readonly census: PieceCensus }).census;
  }

  useBlocks(blocks: ReadonlyMap<string, number>): void {
    for (const { worker } of this.#workers)
      worker.postMessage({ task: "blocks", blocks } satisfies ImportOrder);
  }

  async encode(piece: number): Promise<readonly EncodedLeaf[]> {
    const answer = await this.#ask({ task: "encode", piece });
    return (answer as { readonly leaves: readonly EncodedLeaf[] }).leaves;
  }

  async close(): Promise<void> {
    this.#failure ??= new OrthantError("ORT_CLOSED", "the conversion was closed");
    await Promise.all(this.#workers.map(({ worker }) => worker.terminate()));
  }

  #start(place: ImportPlace): ImportWorker {
    const program = pathToFileURL(createRequire(import.meta.url).resolve("orthant/import-worker"));
    const worker = new Worker(program, {
      name: "orthant import",
      workerData: place,
      execArgv: [],
      resourceLimits: HEAP_MB,
    });
    const started: ImportWorker = { worker, waiting: [] };
    worker.unref();
    worker.on("message", (answer: ImportAnswer) => {
      const next = started.waiting.shift();
      if (started.waiting.length === 0) worker.unref();
      if ("failure" in answer) next?.reject(errorOf(answer.failure));
      else next?.resolve(answer);
    });
    worker.on("error", (error) => this.#fail(error));
    worker.on("exit", (code) => this.#fail(new Error(`it exited with code ${code}`)));
    return started;
  }

  /** Asks the worker with the least to do. Workers answer in order, so each gets pieces in ascending order. */
  #ask(order: ImportOrder): Promise<ImportAnswer> {
    return new Promise((resolve, reject) => {
      if (this.#failure !== undefined) {
        reject(this.#failure);
        return;
      }
      const least = this.#workers.reduce((a, b) => (b.waiting.length < a.waiting.length ? b : a));
      least.waiting.push({ resolve, reject });
      least.worker.ref();
      least.worker.postMessage(order);
    });
  }

  #fail(reason: Error): void {
    this.#failure ??= new OrthantError("ORT_WORKER", `a worker ended: ${reason.message}`);
    for (const { waiting } of this.#workers) {
      for (const { reject } of waiting.splice(0)) reject(this.#failure);
    }
  }
}
