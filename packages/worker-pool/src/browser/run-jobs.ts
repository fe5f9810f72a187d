import type { WorkerRequest } from "../pool/job-messages.ts";
import { JobRunner, type OpenSpace } from "../pool/job-runner.ts";

/** Makes this web worker do what it is asked for until it is terminated. */
export function runJobs(openers: readonly OpenSpace[]): void {
  const runner = new JobRunner(openers, (answer, transfer) => postMessage(answer, { transfer }));
  addEventListener("message", ({ data }: MessageEvent<WorkerRequest>) => runner.handle(data));
}
