import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
import { Worker } from "node:worker_threads";
import { OrthantError } from "@orthant/core";
import type { ImportTasks, PieceCensus } from "@orthant/formats";
import type { EncodedLeaf } from "@orthant/save";
import {
  errorOf,
  type ImportAnswer,
  type ImportOrder,
  type ImportPlace,
  type PieceOrder,
  workOn,
} from "./import-messages.ts";

/** Pieces for each thread, so that none of them waits while an earlier piece is awaited. */
const PIECES_PER_THREAD = 3;
/** Heap of a worker, in MB: sixteen columns at a time fit in a fraction of it. */
const HEAP_MB = { maxOldGenerationSizeMb: 192, maxYoungGenerationSizeMb: 8 };

interface Waiting {
  resolve(answer: ImportAnswer): void;
  reject(error: unknown): void;
}

/** A thread that works on pieces in the order in which it is asked. */
interface ImportThread {
  /** How many pieces it has been asked for and not finished. */
  readonly pending: number;
  ask(order: PieceOrder): Promise<ImportAnswer>;
}

/**
 * Works on the pieces of a world in several threads: this one, and workers of which each opens the world for itself.
 */
export class ImportThreads implements ImportTasks {
  readonly width: number;
  readonly #own: ImportTasks;
  readonly #workers: readonly ImportWorker[];
  readonly #threads: readonly ImportThread[];

  /** `own` works in this thread; its owner closes it. */
  constructor(place: ImportPlace, count: number, own: ImportTasks) {
    this.width = count * PIECES_PER_THREAD;
    this.#own = own;
    this.#workers = Array.from({ length: count - 1 }, () => new ImportWorker(place));
    // On a tie a worker gets the piece: this thread also writes.
    this.#threads = [...this.#workers, new MainThread(own)];
  }

  async takeCensus(piece: number): Promise<PieceCensus> {
    return ((await this.#ask({ task: "census", piece })) as { readonly census: PieceCensus }).census;
  }

  useBlocks(blocks: ReadonlyMap<string, number>): void {
    this.#own.useBlocks(blocks);
    for (const worker of this.#workers) worker.useBlocks(blocks);
  }

  async encode(piece: number): Promise<readonly EncodedLeaf[]> {
    const answer = await this.#ask({ task: "encode", piece });
    return (answer as { readonly leaves: readonly EncodedLeaf[] }).leaves;
  }

  async close(): Promise<void> {
    await Promise.all(this.#workers.map((worker) => worker.close()));
  }

  /** Asks the thread with the least to do. Threads answer in order, so each gets pieces in ascending order. */
  #ask(order: PieceOrder): Promise<ImportAnswer> {
    return this.#threads.reduce((a, b) => (b.pending < a.pending ? b : a)).ask(order);
  }
}

/** Works in this thread, one piece after the other. */
class MainThread implements ImportThread {
  readonly #tasks: ImportTasks;
  #last: Promise<unknown> = Promise.resolve();
  pending = 0;

  constructor(tasks: ImportTasks) {
    this.#tasks = tasks;
  }

  async ask(order: PieceOrder): Promise<ImportAnswer> {
    this.pending++;
    const answer = this.#last.then(() => workOn(this.#tasks, order));
    this.#last = answer.catch(() => undefined);
    try {
      return await answer;
    } finally {
      this.pending--;
    }
  }
}

class ImportWorker implements ImportThread {
  readonly #worker: Worker;
  /** What it has been asked, in order. */
  readonly #waiting: Waiting[] = [];
  #failure: Error | undefined;

  constructor(place: ImportPlace) {
    const program = pathToFileURL(createRequire(import.meta.url).resolve("@orthant/cli/import-worker"));
    this.#worker = new Worker(program, {
      name: "orthant import",
      workerData: place,
      execArgv: [],
      resourceLimits: HEAP_MB,
    });
    this.#worker.unref();
    this.#worker.on("message", (answer: ImportAnswer) => {
      const next = this.#waiting.shift();
      if (this.#waiting.length === 0) this.#worker.unref();
      if ("failure" in answer) next?.reject(errorOf(answer.failure));
      else next?.resolve(answer);
    });
    this.#worker.on("error", (error) => this.#fail(error));
    this.#worker.on("exit", (code) => this.#fail(new Error(`it exited with code ${code}`)));
  }

  get pending(): number {
    return this.#waiting.length;
  }

  useBlocks(blocks: ReadonlyMap<string, number>): void {
    this.#worker.postMessage({ task: "blocks", blocks } satisfies ImportOrder);
  }

  ask(order: PieceOrder): Promise<ImportAnswer> {
    return new Promise((resolve, reject) => {
      if (this.#failure !== undefined) {
        reject(this.#failure);
        return;
      }
      this.#waiting.push({ resolve, reject });
      this.#worker.ref();
      this.#worker.postMessage(order);
    });
  }

  async close(): Promise<void> {
    this.#failure ??= new OrthantError("ORT_CLOSED", "the conversion was closed");
    await this.#worker.terminate();
  }

  #fail(reason: Error): void {
    this.#failure ??= new OrthantError("ORT_WORKER", `a worker ended: ${reason.message}`);
    for (const { reject } of this.#waiting.splice(0)) reject(this.#failure);
  }
}
