import type { Opening } from "../message/to-world.ts";
import { SharedSource } from "./shared-source.ts";
import type { SourceEvents, ViewSource } from "./view-source.ts";

/** Begins to show a world. What keeps it from being shown is told as a status, or thrown when there is nothing at all. */
export async function openSource(opening: Opening, events: SourceEvents): Promise<ViewSource> {
  if (opening.kind === "server") return new SharedSource(opening, events);
  // Most visitors never drop anything, so what reads saves is fetched when it is needed.
  const { openSavedSource } = await import("./saved-source.ts");
  return openSavedSource(opening.files, events);
}
