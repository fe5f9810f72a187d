import { isOrthantError, platforms, terrain } from "@orthant/core";
import { RENDER_CACHE_LIMITS } from "@orthant/core/tree";
import type { Disk } from "@orthant/disk";
import { OpfsDisk } from "@orthant/disk/browser";
import { createWorld } from "@orthant/world";
import { openWorldEngine, type WorldEngine } from "@orthant/world/engine";
import type { BrowserOpening } from "../message/messages.ts";
import { EngineSource } from "./engine-source.ts";
import { skyFacts } from "./sky-facts.ts";
import type { SourceEvents, ViewSource } from "./view-source.ts";

/** Opens a world in the browser's own files, and creates it the first time. Edits are in the files when they return. */
export async function openBrowserSource(
  { folder, dimensions }: BrowserOpening,
  events: SourceEvents,
): Promise<ViewSource> {
  events.onStatus({ kind: "connecting", text: "Opening the world in this browser …" });
  const disk = await OpfsDisk.open(folder);
  const world = await openOrCreate(disk, dimensions);
  const source = new EngineSource(world, events, true);
  events.onFacts({
    name: world.name,
    shape: world.shape,
    blocks: world.catalog.types,
    begin: world.spawn,
    isReturn: false,
    canEdit: true,
    origin: "in this browser",
    ...skyFacts(source.chunks),
  });
  events.onStatus({ kind: "ready", text: "" });
  return source;
}

async function openOrCreate(disk: Disk, dimensions: 3 | 4): Promise<WorldEngine> {
  const open = (): Promise<WorldEngine> =>
    openWorldEngine(disk, { durability: "journal", cacheLimits: RENDER_CACHE_LIMITS });
  try {
    return await open();
  } catch (error) {
    if (!isOrthantError(error, "ORT_NOT_FOUND")) throw error;
  }
  const created =
    dimensions === 3
      ? await createWorld(disk, { dimensions: 3, name: "Valley", generator: terrain({ seed: 7n }) })
      : await createWorld(disk, { dimensions: 4, name: "Isles", generator: platforms({ seed: 7n }) });
  await created.close();
  return open();
}
