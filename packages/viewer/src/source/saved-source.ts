import { OrthantError, type Position, type Vector } from "@orthant/core";
import { RENDER_CACHE_LIMITS } from "@orthant/core/tree";
import type { Disk } from "@orthant/disk";
import { BlobDisk } from "@orthant/disk/browser";
import { type DetectedWorld, detectNativeSave } from "@orthant/formats";
import { openWorldEngine, type WorldEngine } from "@orthant/world/engine";
import type { DroppedFile } from "../message/messages.ts";
import type { OnStep } from "./converted-world.ts";
import { EngineSource } from "./engine-source.ts";
import { skyFacts } from "./sky-facts.ts";
import type { SourceEvents, ViewSource } from "./view-source.ts";

/** Shows a world from files dropped onto the page. Throws when there is none, or when it cannot be read. */
export async function openSavedSource(
  files: readonly DroppedFile[],
  events: SourceEvents,
): Promise<ViewSource> {
  events.onStatus({ kind: "connecting", text: "Reading what you dropped …" });
  const dropped = await findDroppedWorld(files, (done, steps) => {
    events.onStatus({ kind: "connecting", text: `Converting what you dropped: ${done} of ${steps} …` });
  });
  const world = await dropped.open();
  const source = new EngineSource(world, events);
  events.onFacts({
    name: world.name || dropped.name || "A dropped world",
    shape: world.shape,
    blocks: world.catalog.types,
    begin: beginOf(world, dropped),
    isReturn: false,
    canEdit: false,
    origin: dropped.origin,
    ...skyFacts(source.chunks),
  });
  events.onStatus({ kind: "ready", text: dropped.remark });
  return source;
}

/** Returns the last position of a player, or a position with something to see, or the spawn. */
function beginOf(world: WorldEngine, { begin }: DroppedWorld): Vector {
  const [player] = world.players;
  return player?.position ?? begin ?? world.spawn;
}

/** A world that a visitor dropped onto the page. */
interface DroppedWorld {
  readonly open: () => Promise<WorldEngine>;
  /** Short description of its format. */
  readonly origin: string;
  /** Name to show when the world itself has none. */
  readonly name: string;
  /** A remark for people; empty when there is nothing to say. */
  readonly remark: string;
  /** A position with something to see; `undefined` when the world has its own spawn. */
  readonly begin: Position | undefined;
}

/**
 * Identifies the dropped files: a folder of a known format, or one file. Throws `ORT_NOT_FOUND` when it is
 * neither. Converts other formats and reports the progress to `onStep`.
 */
async function findDroppedWorld(files: readonly DroppedFile[], onStep: OnStep): Promise<DroppedWorld> {
  const [source, folder] = diskOf(files);
  const native = await detectNativeSave(source);
  if (native !== undefined) {
    return { open: opener(source), origin: originOf(native), name: folder, remark: "", begin: undefined };
  }
  // Few saves need conversion, so the page loads the converters on demand.
  const { convertInMemory } = await import("./converted-world.ts");
  const bytes = files.reduce((sum, { file }) => sum + file.size, 0);
  const converted = await convertInMemory(source, bytes, onStep);
  if (converted === undefined) {
    throw new OrthantError("ORT_NOT_FOUND", "no world of a format that is known here was dropped");
  }
  const { world, disk, remark, begin } = converted;
  return { open: opener(disk), origin: originOf(world), name: folder || world.evidence, remark, begin };
}

function opener(disk: Disk): () => Promise<WorldEngine> {
  return () => openWorldEngine(disk, { readOnly: true, cacheLimits: RENDER_CACHE_LIMITS });
}

function originOf({ format, dialect }: DetectedWorld): string {
  return `${format}${dialect === undefined ? "" : `, ${dialect}`}, from your disk`;
}

/** Returns the files without their common folder, and the name of that folder. */
function diskOf(files: readonly DroppedFile[]): readonly [Disk, string] {
  const folder = files[0]?.path.split("/")[0] ?? "";
  const isInside = folder !== "" && files.every(({ path }) => path.startsWith(`${folder}/`));
  const skip = isInside ? folder.length + 1 : 0;
  return [
    new BlobDisk(new Map(files.map(({ path, file }) => [path.slice(skip), file]))),
    isInside ? folder : "",
  ];
}
