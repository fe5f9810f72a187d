import { OrthantError, systemTime, type TimeSource } from "@orthant/core";
import { checkedOptions, requireTime, whole } from "@orthant/core/arguments";
import type { GenerationJob } from "@orthant/core/generate";
import type { Posted, WorkerAnswer, WorkerRequest } from "./job-messages.ts";
import { type Priority, WaitingJobs } from "./waiting-jobs.ts";

/** A worker of a platform. */
export interface PlatformWorker {
  post(request: WorkerRequest, transfer: ArrayBuffer[]): void;
  /** Says whether the worker has work, and so must keep the process alive. */
  setBusy(isBusy: boolean): void;
  stop(): Promise<void>;
}

/** What a worker reports. */
export interface PlatformWorkerEvents {
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
  start(events: PlatformWorkerEvents): PlatformWorker;
  /** Whether workers may import a module. */
  mayImport(module: string): boolean;
}

/** Returned by {@link PoolTask.take} for a job that has to run again, in the same worker. */
export const AGAIN: unique symbol = Symbol("again");

/** What tasks are done in, such as an open generator. */
export interface PoolSpace {
  /** What a worker opens it from. */
  readonly description: unknown;
  /** Called when a worker has ended that had it open. */
  readonly onWorkerEnd?: (worker: number) => void;
}

/** A task as this thread sees it. */
export interface PoolTask<Result> {
  /** What the worker does, for messages: "generating chunks [0,0,0,0] to [1,1,1,1]". */
  readonly shown: string;
  /** When it is its turn. */
  readonly priority?: Priority | undefined;
  /**
   * Returns the message for a worker, by the number of the worker, when it is the task's turn. Without a message, the
   * result is `undefined`.
   */
  post(worker: number): Posted<unknown> | undefined;
  /** Takes over the answer of a worker, also to a task that was cancelled. */
  take(answer: unknown, worker: number): Result | typeof AGAIN;
}

const JOBS_MAX = 4_096;
const JOB_TIMEOUT_MS = 30_000;
/** Jobs sent to a worker ahead, so that it need not wait for the next one. */
const JOBS_AHEAD = 2;
/** Attempts for a job whose worker ends: its end may be the fault of another job. */
const ATTEMPTS_MAX = 2;
/** Workers that may end in a row before one answers. Then the platform has none. */
const FAILURES_MAX = 4;
const WORKERS_MAX = 256;

interface Job {
  readonly number: number;
  readonly space: number;
  readonly task: PoolTask<unknown>;
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: unknown) => void;
  attempts: number;
}

interface Slot {
  worker: PlatformWorker | undefined;
  /** Each worker that is started has another number. */
  workerNumber: number;
  /** Spaces that this worker has. */
  opened: Set<number>;
  /** In the order in which they were sent. */
  readonly running: Map<number, Job>;
  /** Cancels the timeout of the first running job. */
  stopTimer: (() => void) | undefined;
}

/**
 * Does tasks in workers, in the order of their priorities and of the requests. A worker that crashes or takes too long is
 * replaced: its jobs run once more elsewhere, except for the one that took too long.
 */
export class WorkerPool {
  readonly #platform: WorkerPlatform;
  readonly #time: TimeSource;
  readonly #jobsMax: number;
  readonly #jobTimeoutMs: number;
  readonly #spaces = new Map<number, PoolSpace>();
  readonly #slots: readonly Slot[];
  readonly #waiting = new WaitingJobs<Job>();
  #nextJob = 1;
  #nextSpace = 0;
  #nextWorker = 0;
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
      workerNumber: 0,
      opened: new Set<number>(),
      running: new Map<number, Job>(),
      stopTimer: undefined,
    }));
  }

  /** Whether workers may import a module. */
  mayImport(module: string): boolean {
    return this.#platform.mayImport(module);
  }

  /** Opens a space in workers, in each when it gets the first task in it. Returns its number. */
  openSpace(space: PoolSpace): number {
    const number = this.#nextSpace++;
    this.#spaces.set(number, space);
    return number;
  }

  /** Closes a space. Its unfinished jobs fail with `ORT_CLOSED`. */
  closeSpace(space: number): void {
    this.#spaces.delete(space);
    for (const job of this.#waiting.takeAll((waiting) => waiting.space === space)) job.reject(closed());
    for (const { worker, opened, running } of this.#slots) {
      for (const job of running.values()) if (job.space === space) job.reject(closed());
      if (opened.delete(space)) worker?.post({ kind: "close", space }, []);
    }
  }

  /** Does a task in a space. */
  run<Result>(space: number, task: PoolTask<Result>): GenerationJob<Result | undefined> {
    const number = this.#nextJob++;
    const result = new Promise<Result | undefined>((resolve, reject) => {
      if (this.#isClosed || !this.#spaces.has(space)) throw closed();
      if (this.#failures >= FAILURES_MAX) throw unavailable();
      if (this.#jobCount >= this.#jobsMax) throw tooMany(this.#jobsMax);
      const job: Job = { number, space, task, resolve: resolve as Job["resolve"], reject, attempts: 0 };
      this.#waiting.add(job, task.priority);
      this.#assign();
    });
    return { result, cancel: () => this.#cancel(number) };
  }

  /** Asks all functions that say when it is the turn of a task again. */
  sort(): void {
    this.#waiting.sort();
  }

  /** Stops all workers. Unfinished jobs fail with `ORT_CLOSED`. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const running = this.#slots.flatMap((slot) => [...slot.running.values()]);
    for (const job of [...this.#waiting.takeAll(), ...running]) job.reject(closed());
    await Promise.all(this.#slots.map((slot) => this.#stop(slot)));
  }

  get #jobCount(): number {
    return this.#slots.reduce((sum, { running }) => sum + running.size, this.#waiting.size);
  }

  #cancel(number: number): void {
    for (const job of this.#waiting.takeAll((waiting) => waiting.number === number)) job.reject(closed());
    // A worker cannot be interrupted: it finishes, and its answer is dropped.
    for (const { running } of this.#slots) running.get(number)?.reject(closed());
  }

  /** Sends waiting jobs to the workers with the fewest, and starts workers as needed. */
  #assign(): void {
    while (this.#waiting.size > 0 && !this.#isClosed) {
      const slot = this.#slots.reduce((a, b) => (b.running.size < a.running.size ? b : a));
      if (slot.running.size >= JOBS_AHEAD) return;
      const job = this.#waiting.take();
      if (job !== undefined) this.#send(slot, job);
    }
  }

  #send(slot: Slot, job: Job): void {
    if (slot.worker === undefined) this.#start(slot);
    const { worker, workerNumber, opened, running } = slot;
    let posted: Posted<unknown> | undefined;
    try {
      posted = job.task.post(workerNumber);
    } catch (error) {
      job.reject(error);
      return;
    }
    if (posted === undefined || worker === undefined) {
      job.resolve(undefined);
      return;
    }
    const { space } = job;
    if (!opened.has(space))
      worker.post({ kind: "open", space, description: this.#spaces.get(space)?.description }, []);
    opened.add(space);
    job.attempts++;
    running.set(job.number, job);
    worker.setBusy(true);
    worker.post({ kind: "job", job: job.number, space, task: posted.message }, posted.transfer);
    if (running.size === 1) this.#startTimer(slot);
  }

  #start(slot: Slot): void {
    const worker: PlatformWorker = this.#platform.start({
      onAnswer: (answer) => {
        if (slot.worker === worker) this.#answered(slot, answer);
      },
      onFailure: (reason) => {
        if (slot.worker === worker) this.#failed(slot, reason);
      },
    });
    slot.worker = worker;
    slot.workerNumber = this.#nextWorker++;
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
    if (job === undefined) return;
    if ("code" in answer) job.reject(new OrthantError(answer.code, answer.detail));
    else this.#take(slot, job, answer.result);
  }

  #take(slot: Slot, job: Job, answer: unknown): void {
    try {
      const result = job.task.take(answer, slot.workerNumber);
      if (result !== AGAIN) job.resolve(result);
      else if (slot.worker !== undefined && this.#spaces.has(job.space)) this.#send(slot, job);
      else job.reject(closed());
    } catch (error) {
      job.reject(error);
    }
  }

  #failed(slot: Slot, reason: string): void {
    this.#failures++;
    // A worker does its jobs in order, so only the first of them can have ended it.
    const [first] = slot.running.values();
    this.#replace(slot, (job) => {
      if (this.#failures >= FAILURES_MAX) return unavailable();
      if (job !== first || job.attempts < ATTEMPTS_MAX) return undefined;
      return new OrthantError("ORT_WORKER", `a worker ended while ${job.task.shown}: ${reason}`);
    });
  }

  #timedOut(slot: Slot): void {
    const [slow] = slot.running.values();
    this.#replace(slot, (job) => {
      if (job !== slow) return undefined;
      const detail = `${job.task.shown} took more than ${this.#jobTimeoutMs} ms; the worker was stopped`;
      return new OrthantError("ORT_WORKER", detail);
    });
  }

  /** Stops a worker. Its jobs fail, or wait again, before all others, if `failureOf` returns `undefined`. */
  #replace(slot: Slot, failureOf: (job: Job) => OrthantError | undefined): void {
    const jobs = [...slot.running.values()];
    void this.#stop(slot);
    if (this.#failures >= FAILURES_MAX) for (const job of this.#waiting.takeAll()) job.reject(unavailable());
    for (const job of jobs.reverse()) {
      const failure = failureOf(job);
      if (failure === undefined) this.#waiting.addFirst(job);
      else job.reject(failure);
    }
    this.#assign();
  }

  async #stop(slot: Slot): Promise<void> {
    const { worker, workerNumber, opened } = slot;
    slot.stopTimer?.();
    slot.worker = undefined;
    slot.opened = new Set();
    slot.running.clear();
    for (const space of opened) this.#spaces.get(space)?.onWorkerEnd?.(workerNumber);
    worker?.setBusy(false);
    await worker?.stop();
  }

  #startTimer(slot: Slot): void {
    const timer = this.#time.after(this.#jobTimeoutMs, () => this.#timedOut(slot));
    slot.stopTimer = () => timer.cancel();
  }
}

function closed(): OrthantError {
  return new OrthantError("ORT_CLOSED", "the work was cancelled");
}

function unavailable(): OrthantError {
  return new OrthantError("ORT_PLATFORM", "no worker can be started");
}

function tooMany(limit: number): OrthantError {
  return new OrthantError("ORT_LIMIT", `${limit} jobs are waiting: await some of them first`);
}
