import { setPriority } from "node:os";
import { parentPort } from "node:worker_threads";
import { transferOf, type WorkerRequest } from "../pool/job-messages.ts";
import { JobRunner } from "../pool/job-runner.ts";

// The program of a worker thread: it generates what it is asked for until it is terminated.

/** Where processors are scarce, the loop that serves players comes first. */
const NICENESS = 10;

// Only Linux has a priority for each thread; elsewhere this would be the priority of the whole process.
if (process.platform === "linux") setPriority(0, NICENESS);

const runner = new JobRunner((answer) => parentPort?.postMessage(answer, transferOf(answer)));
parentPort?.on("message", (request: WorkerRequest) => runner.handle(request));
