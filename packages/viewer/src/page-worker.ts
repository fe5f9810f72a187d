import { runWorker } from "./worker/run-worker.ts";

runWorker({
  async openFiles(files, events) {
    // Most visitors never drop anything, so the page loads the code that reads saves on demand.
    const { openSavedSource } = await import("./source/saved-source.ts");
    return openSavedSource(files, events);
  },
});
