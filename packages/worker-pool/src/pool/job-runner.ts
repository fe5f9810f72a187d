import { isOrthantError, OrthantError } from "@orthant/core";
import type { Posted, WorkerAnswer, WorkerRequest } from "./job-messages.ts";

/** What a worker does tasks in, such as an open generator. */
export interface WorkerSpace {
  /** Does a task. What it needs of a message it takes before it first waits, because tasks overlap where one waits. */
  run(task: unknown): Promise<Posted<unknown>> | Posted<unknown>;
}

/** Opens spaces from descriptions. Returns `undefined` for a description of another kind. */
export type OpenSpace = (description: unknown) => Promise<WorkerSpace> | undefined;

/** Runs in a worker: opens spaces and does tasks, one after the other. */
export class JobRunner {
  readonly #spaces = new Map<number, Promise<WorkerSpace>>();
  readonly #openers: readonly OpenSpace[];
  readonly #post: (answer: WorkerAnswer, transfer: ArrayBuffer[]) => void;

  constructor(openers: readonly OpenSpace[], post: (answer: WorkerAnswer, transfer: ArrayBuffer[]) => void) {
    this.#openers = openers;
    this.#post = post;
  }

  /** Handles one message. Always answers a job, with an error if it fails. */
  handle(request: WorkerRequest): void {
    if (request.kind === "open") {
      const opening = this.#open(request.description);
      // The answer to every job reports the error.
      opening.catch(() => undefined);
      this.#spaces.set(request.space, opening);
    } else if (request.kind === "close") this.#spaces.delete(request.space);
    else void this.#run(request.job, request.space, request.task);
  }

  async #open(description: unknown): Promise<WorkerSpace> {
    for (const open of this.#openers) {
      const space = open(description);
      if (space !== undefined) return space;
    }
    throw new OrthantError("ORT_WORKER", "this worker does not do such tasks");
  }

  async #run(job: number, space: number, task: unknown): Promise<void> {
    try {
      const opened = await this.#spaces.get(space);
      if (opened === undefined) throw new OrthantError("ORT_WORKER", "what the task is about is not open");
      const { message, transfer } = await opened.run(task);
      this.#post({ job, result: message }, transfer);
    } catch (error) {
      this.#post({ job, ...failureOf(error) }, []);
    }
  }
}

function failureOf(error: unknown): Pick<OrthantError, "code" | "detail"> {
  if (isOrthantError(error)) return { code: error.code, detail: error.detail };
  const detail = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  return { code: "ORT_WORKER", detail: `the generator threw ${detail}` };
}
