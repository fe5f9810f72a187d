import type { Opening } from "../message/to-world.ts";
import { SharedSource } from "./shared-source.ts";
import type { SourceEvents, ViewSource } from "./view-source.ts";

/** Starts to show a world. Reports problems as a status, and throws when nothing can be shown. */
export async function openSource(opening: Opening, events: SourceEvents): Promise<ViewSource> {
  if (opening.kind === "server") return new SharedSource(opening, events);
  // Most visitors never drop anything, so the page loads the code that reads saves on demand.
  const { openSavedSource } = await import("./saved-source.ts");
  return openSavedSource(opening.files, events);
}
