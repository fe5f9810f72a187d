import { OrthantError } from "@orthant/core";
import { runWorker } from "./worker/run-worker.ts";

runWorker({
  async openLocal(opening, events) {
    if (opening.kind !== "files")
      throw new OrthantError("ORT_ARGUMENT", "this page keeps no world of its own");
    // Most visitors never drop anything, so the page loads the code that reads saves on demand.
    const { openSavedSource } = await import("./source/saved-source.ts");
    return openSavedSource(opening.files, events);
  },
  readLooks: async (files, blocks) => (await import("./source/read-looks.ts")).readLooks(files, blocks),
  loadBuilder: () => import("./edit/world-builder.ts"),
});
