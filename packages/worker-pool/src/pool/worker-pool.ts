import { type Box, OrthantError, systemTime, type TimeSource } from "@orthant/core";
import { checkedOptions, requireTime, whole } from "@orthant/core/arguments";
import { decode, encode } from "@orthant/core/bytes";
import {
  DEFAULT_GENERATORS,
  describedBoxCodec,
  type GenerationJob,
  type GenerationPool,
  type PooledGenerator,
  type PooledSpace,
} from "@orthant/core/generate";
import { generatorRefCodec, type RegionTree } from "@orthant/core/tree";
import type { GenerationTask, WorkerAnswer, WorkerRequest } from "./job-messages.ts";

/** A worker of a platform. */
export interface GenerationWorker {
  post(request: WorkerRequest): void;
  /** Says whether the worker has work, and so must keep the process alive. */
  setBusy(isBusy: boolean): void;
  stop(): Promise<void>;
}

/** What a worker reports. */
export interface GenerationWorkerEvents {
  readonly onAnswer: (answer: WorkerAnswer) => void;
  /** The worker ended or cannot start. */
  readonly onFailure: (reason: string) => void;
}

/** Options of a pool. */
export interface WorkerPoolOptions {
  /** Number of workers, each started when there is work for it. Default: one less than processors, at least 1. */
  readonly workers?: number;
  /** Jobs that may run or wait at a time; more are refused with `ORT_LIMIT`. Default: 4,096. */
  readonly jobsMax?: number;
  /** Time for one job. A worker that takes longer is stopped and replaced. Default: 30,000. */
  readonly jobTimeoutMs?: number;
  /** Source of the time. Default: the system. */
  readonly time?: TimeSource;
}

/** How a platform starts workers. */
export interface WorkerPlatform {
  readonly workers: number;
  start(events: GenerationWorkerEvents): GenerationWorker;
  /** Whether workers may import a module. */
  mayImport(module: string): boolean;
}

const JOBS_MAX = 4_096;
const JOB_TIMEOUT_MS = 30_000;
/** Jobs sent to a worker ahead, so that it need not wait for the next one. */
const JOBS_AHEAD = 2;
/** Attempts for a job whose worker ends: its end may be the fault of another job. */
const ATTEMPTS_MAX = 2;
/** Workers that may end in a row before one answers. Then the platform has none. */
const FAILURES_MAX = 4;

interface Job {
  readonly number: number;
  readonly space: number;
  readonly task: GenerationTask;
  readonly resolve: (parts: readonly Uint8Array[]) => void;
  readonly reject: (error: unknown) => void;
  attempts: number;
}

interface Slot {
  worker: GenerationWorker | undefined;
  /** Spaces that this worker has. */
  opened: Set<number>;
  /** In the order in which they were sent. */
  readonly running: Map<number, Job>;
  /** Cancels the timeout of the first running job. */
  stopTimer: (() => void) | undefined;
}

/**
 * Generates chunks in workers. Jobs start in the order of the requests. A worker that crashes or takes too long
 * is replaced: its jobs run once more elsewhere, except for the one that took too long.
 */
export class WorkerPool implements GenerationPool {
  readonly #platform: WorkerPlatform;
  readonly #time: TimeSource;
  readonly #jobsMax: number;
  readonly #jobTimeoutMs: number;
  readonly #spaces: Extract<WorkerRequest, { kind: "open" }>[] = [];
  readonly #slots: readonly Slot[];
  readonly #waiting = new Map<number, Job>();
  #nextJob = 1;
  #failures = 0;
  #isClosed = false;

  constructor(platform: WorkerPlatform, options: WorkerPoolOptions) {
    const checked = checkedOptions("the options", options, {
      workers: whole(1, WORKERS_MAX),
      jobsMax: whole(1),
      jobTimeoutMs: whole(1, 2 ** 31 - 1),
      time: requireTime,
    });
    const { workers = platform.workers, jobsMax = JOBS_MAX, jobTimeoutMs = JOB_TIMEOUT_MS } = checked;
    this.#platform = platform;
    this.#time = checked.time ?? systemTime;
    this.#jobsMax = jobsMax;
    this.#jobTimeoutMs = jobTimeoutMs;
    this.#slots = Array.from({ length: workers }, () => ({
      worker: undefined,
      opened: new Set<number>(),
      running: new Map<number, Job>(),
      stopTimer: undefined,
    }));
  }

  open({ ref, shape, module }: PooledGenerator): PooledSpace | undefined {
    const isKnown = module === undefined ? DEFAULT_GENERATORS.knows(ref) : this.#platform.mayImport(module);
    if (!isKnown) return undefined;
    const space = this.#spaces.length;
    this.#spaces.push({
      kind: "open",
      space,
      ref: encode(generatorRefCodec, ref),
      extents: shape.extents,
      module,
    });
    const decodeTree = (box: Box, [bytes = new Uint8Array(0)]: readonly Uint8Array[]): RegionTree =>
      decode(describedBoxCodec(shape.volume, box), bytes);
    return {
      describe: (box) => this.#run(space, { kind: "describe", box }, (parts) => decodeTree(box, parts)),
      encodeRegion: (region, pieceBytesMax) =>
        this.#run(space, { kind: "encode", region, pieceBytesMax }, (parts) => parts),
    };
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    const jobs = [...this.#waiting.values(), ...this.#slots.flatMap(({ running }) => [...running.values()])];
    this.#waiting.clear();
    for (const job of jobs) job.reject(closed());
    await Promise.all(this.#slots.map((slot) => this.#stop(slot)));
  }

  #run<Result>(
    space: number,
    task: GenerationTask,
    resultOf: (parts: readonly Uint8Array[]) => Result,
  ): GenerationJob<Result> {
    const number = this.#nextJob++;
    const parts = new Promise<readonly Uint8Array[]>((resolve, reject) => {
      if (this.#isClosed) throw closed();
      if (this.#failures >= FAILURES_MAX) throw unavailable();
      if (this.#jobCount >= this.#jobsMax) throw tooMany(this.#jobsMax);
      this.#waiting.set(number, { number, space, task, resolve, reject, attempts: 0 });
      this.#assign();
    });
    return { result: parts.then(resultOf), cancel: () => this.#cancel(number) };
  }

  get #jobCount(): number {
    return this.#slots.reduce((sum, { running }) => sum + running.size, this.#waiting.size);
  }

  #cancel(number: number): void {
    const waiting = this.#waiting.get(number);
    this.#waiting.delete(number);
    waiting?.reject(closed());
    // A worker cannot be interrupted: it finishes, and its answer is dropped.
    for (const { running } of this.#slots) running.get(number)?.reject(closed());
  }

  /** Sends waiting jobs to the workers with the fewest, and starts workers as needed. */
  #assign(): void {
    for (const job of this.#waiting.values()) {
      const slot = this.#slots.reduce((a, b) => (b.running.size < a.running.size ? b : a));
      if (slot.running.size >= JOBS_AHEAD || this.#isClosed) return;
      this.#waiting.delete(job.number);
      this.#send(slot, job);
    }
  }

  #send(slot: Slot, job: Job): void {
    slot.worker ??= this.#start(slot);
    const { worker, opened, running } = slot;
    const space = this.#spaces[job.space];
    if (space !== undefined && !opened.has(job.space)) worker.post(space);
    opened.add(job.space);
    job.attempts++;
    running.set(job.number, job);
    worker.setBusy(true);
    worker.post({ job: job.number, space: job.space, ...job.task });
    if (running.size === 1) this.#startTimer(slot);
  }

  #start(slot: Slot): GenerationWorker {
    const worker: GenerationWorker = this.#platform.start({
      onAnswer: (answer) => {
        if (slot.worker === worker) this.#answered(slot, answer);
      },
      onFailure: (reason) => {
        if (slot.worker === worker) this.#failed(slot, reason);
      },
    });
    return worker;
  }

  #answered(slot: Slot, answer: WorkerAnswer): void {
    const job = slot.running.get(answer.job);
    slot.running.delete(answer.job);
    this.#failures = 0;
    slot.stopTimer?.();
    if (slot.running.size > 0) this.#startTimer(slot);
    else slot.worker?.setBusy(false);
    // Its next job is on its way before this thread decodes the result.
    this.#assign();
    if ("parts" in answer) job?.resolve(answer.parts);
    else job?.reject(new OrthantError(answer.code, answer.detail));
  }

  #failed(slot: Slot, reason: string): void {
    this.#failures++;
    // A worker does its jobs in order, so only the first of them can have ended it.
    const [first] = slot.running.values();
    this.#replace(slot, (job) => {
      if (this.#failures >= FAILURES_MAX) return unavailable();
      if (job !== first || job.attempts < ATTEMPTS_MAX) return undefined;
      return new OrthantError(
        "ORT_WORKER",
        `a worker ended while it generated ${shown(job.task)}: ${reason}`,
      );
    });
  }

  #timedOut(slot: Slot): void {
    const [slow] = slot.running.values();
    this.#replace(slot, (job) => {
      if (job !== slow) return undefined;
      const detail = `${shown(job.task)} was not generated in ${this.#jobTimeoutMs} ms; the worker was stopped`;
      return new OrthantError("ORT_WORKER", detail);
    });
  }

  /** Stops a worker. Its jobs fail, or wait again, before all others, if `failureOf` returns `undefined`. */
  #replace(slot: Slot, failureOf: (job: Job) => OrthantError | undefined): void {
    const jobs = [...slot.running.values()];
    void this.#stop(slot);
    const others = [...this.#waiting.values()];
    this.#waiting.clear();
    for (const job of jobs) {
      const failure = failureOf(job);
      if (failure === undefined) this.#waiting.set(job.number, job);
      else job.reject(failure);
    }
    for (const job of others) {
      if (this.#failures >= FAILURES_MAX) job.reject(unavailable());
      else this.#waiting.set(job.number, job);
    }
    this.#assign();
  }

  async #stop(slot: Slot): Promise<void> {
    const { worker } = slot;
    slot.stopTimer?.();
    slot.worker = undefined;
    slot.opened = new Set();
    slot.running.clear();
    worker?.setBusy(false);
    await worker?.stop();
  }

  #startTimer(slot: Slot): void {
    const timer = this.#time.after(this.#jobTimeoutMs, () => this.#timedOut(slot));
    slot.stopTimer = () => timer.cancel();
  }
}

const WORKERS_MAX = 256;

function shown(task: GenerationTask): string {
  return task.kind === "encode" ? `region [${task.region}]` : `chunks [${task.box.min}] to [${task.box.max}]`;
}

function closed(): OrthantError {
  return new OrthantError("ORT_CLOSED", "the generation of chunks was cancelled");
}

function unavailable(): OrthantError {
  return new OrthantError("ORT_PLATFORM", "no worker can be started");
}

function tooMany(limit: number): OrthantError {
  return new OrthantError("ORT_LIMIT", `${limit} jobs are waiting to be generated: await some of them first`);
}
