import { transferOf, type WorkerRequest } from "../pool/job-messages.ts";
import { JobRunner } from "../pool/job-runner.ts";

// The program of a web worker: it generates what it is asked for until it is terminated.

const runner = new JobRunner((answer) => postMessage(answer, { transfer: transferOf(answer) }));
addEventListener("message", ({ data }: MessageEvent<WorkerRequest>) => runner.handle(data));
