import { openBrowserSource } from "./source/browser-source.ts";
import { runWorker } from "./worker/run-worker.ts";

runWorker({
  async openLocal(opening, events) {
    if (opening.kind === "browser") return openBrowserSource(opening, events);
    const { openSavedSource } = await import("./source/saved-source.ts");
    return openSavedSource(opening.files, events);
  },
  readLooks: async (files, blocks) => (await import("./source/read-looks.ts")).readLooks(files, blocks),
  loadBuilder: () => import("./edit/world-builder.ts"),
});
