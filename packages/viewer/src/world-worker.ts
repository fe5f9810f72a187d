import { runWorker } from "./worker/run-worker.ts";

runWorker({ loadBuilder: () => import("./edit/world-builder.ts") });
