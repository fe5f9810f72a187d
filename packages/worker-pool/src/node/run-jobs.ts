import { setPriority } from "node:os";
import { parentPort } from "node:worker_threads";
import type { WorkerRequest } from "../pool/job-messages.ts";
import { JobRunner, type OpenSpace } from "../pool/job-runner.ts";

/** Where processors are scarce, the loop that serves players comes first. */
const NICENESS = 10;

/** Makes this worker thread do what it is asked for until it is terminated. */
export function runJobs(openers: readonly OpenSpace[]): void {
  // Only Linux has a priority for each thread; elsewhere this would be the priority of the whole process.
  if (process.platform === "linux") setPriority(0, NICENESS);
  const runner = new JobRunner(openers, (answer, transfer) => parentPort?.postMessage(answer, transfer));
  parentPort?.on("message", (request: WorkerRequest) => runner.handle(request));
}
