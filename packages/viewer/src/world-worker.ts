import { runWorker } from "./worker/run-worker.ts";

runWorker();
