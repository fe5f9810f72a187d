import {
  FLAT_DEFAULTS,
  flatGenerator,
  type GeneratorRef,
  generatorRef,
  OrthantError,
  type Position,
  RENDER_CACHE_LIMITS,
} from "@orthant/core";
import { type Disk, MemoryDisk } from "@orthant/disk";
import { BlobDisk } from "@orthant/disk/browser";
import { detectFormat, type LegacyWorld, readLegacyWorld } from "@orthant/formats";
import { createWorld, openWorld, type World } from "@orthant/world";
import type { DroppedFile } from "../message/to-world.ts";
import type { ForeignFormat, OnStep } from "./converted-world.ts";

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

/** For a world that is shown unchanged and in full. */
const AS_IT_IS = { remark: "", begin: undefined } as const;
const LEGACY_SUFFIX = ".v4dw";
/** A legacy file is read whole. */
const LEGACY_BYTES_MAX: number = 256 * 1024 * 1024;
/** Chunks per edit when a world is filled. */
const CHUNKS_PER_EDIT = 32_768;

/**
 * Identifies the dropped files: a folder of a known format, or one file. Throws `ORT_NOT_FOUND` when it is
 * neither. Converts other formats and reports the progress to `onStep`.
 */
export async function findDroppedWorld(files: readonly DroppedFile[], onStep: OnStep): Promise<DroppedWorld> {
  const [only] = files;
  if (only !== undefined && files.length === 1 && only.path.endsWith(LEGACY_SUFFIX)) return legacyWorld(only);
  const [disk, name] = diskOf(files);
  const detected = await detectFormat(disk);
  if (detected === undefined) {
    throw new OrthantError("ORT_NOT_FOUND", "no world of a format that is known here was dropped");
  }
  const { format, dialect } = detected;
  const origin = `${format}${dialect === undefined ? "" : `, ${dialect}`}, from your disk`;
  if (detected.format !== "polychora") return convertedWorld(disk, detected, name, origin, onStep);
  return {
    ...AS_IT_IS,
    open: () => openWorld(disk, { readOnly: true, cacheLimits: RENDER_CACHE_LIMITS }),
    origin,
    name,
  };
}

async function convertedWorld(
  source: Disk,
  detected: ForeignFormat,
  folder: string,
  origin: string,
  onStep: OnStep,
): Promise<DroppedWorld> {
  // Few saves need conversion, so the page loads the converters on demand.
  const { convertInMemory } = await import("./converted-world.ts");
  const { disk, remark, begin } = await convertInMemory(source, detected, onStep);
  return {
    open: () => openWorld(disk, { readOnly: true, cacheLimits: RENDER_CACHE_LIMITS }),
    origin,
    name: folder || detected.evidence,
    remark,
    begin,
  };
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

async function legacyWorld({ path, file }: DroppedFile): Promise<DroppedWorld> {
  if (file.size > LEGACY_BYTES_MAX) {
    throw new OrthantError("ORT_LIMIT", `${file.size} bytes where at most ${LEGACY_BYTES_MAX} may be`, {
      path,
    });
  }
  const legacy = readLegacyWorld(path, new Uint8Array(await file.arrayBuffer()));
  return { ...AS_IT_IS, open: () => worldOf(legacy), origin: "v4dw, from your disk", name: path };
}

async function worldOf({ base, chunks }: LegacyWorld): Promise<World> {
  const generator = floorOf(base);
  const world = await createWorld(new MemoryDisk(), generator === undefined ? {} : { generator });
  for (let at = 0; at < chunks.length; at += CHUNKS_PER_EDIT) {
    const batch = chunks.slice(at, at + CHUNKS_PER_EDIT);
    await world.setChunks(batch.map(({ position, chunk }) => [position, chunk] as const));
  }
  return world;
}

function floorOf(base: LegacyWorld["base"]): GeneratorRef | undefined {
  if (base.kind !== "flatFloor") return undefined;
  return generatorRef(flatGenerator, { ...FLAT_DEFAULTS, block: base.block }, 0n);
}
