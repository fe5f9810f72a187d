import { openGeneration } from "../generation/generation-space.ts";
import { runJobs } from "./run-jobs.ts";

// The program of a web worker that generates.

runJobs([openGeneration]);
