import { OrthantError, type Position, RENDER_CACHE_LIMITS } from "@orthant/core";
import type { Disk } from "@orthant/disk";
import { BlobDisk } from "@orthant/disk/browser";
import { type DetectedWorld, detectNativeSave } from "@orthant/formats";
import { openWorld, type World } from "@orthant/world";
import type { DroppedFile } from "../message/to-world.ts";
import type { OnStep } from "./converted-world.ts";

/** A world that a visitor dropped onto the page. */
export interface DroppedWorld {
  /** Opens the world again, with an empty memory. */
  readonly open: () => Promise<World>;
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
export async function findDroppedWorld(files: readonly DroppedFile[], onStep: OnStep): Promise<DroppedWorld> {
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

function opener(disk: Disk): () => Promise<World> {
  return () => openWorld(disk, { readOnly: true, cacheLimits: RENDER_CACHE_LIMITS });
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
