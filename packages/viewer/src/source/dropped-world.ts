import { FLAT_DEFAULTS, flatGenerator, type GeneratorRef, generatorRef, OrthantError } from "@orthant/core";
import { type Disk, MemoryDisk } from "@orthant/disk";
import { detectFormat, type LegacyWorld, readLegacyWorld } from "@orthant/formats";
import { createWorld, openWorld, type World } from "@orthant/world";
import type { DroppedFile } from "../message/to-world.ts";
import { BlobDisk } from "./blob-disk.ts";

/** A world that a visitor dropped. */
export interface DroppedWorld {
  /** Opens it once more, with nothing of it in memory. */
  readonly open: () => Promise<World>;
  /** In a few words what it is. */
  readonly origin: string;
  /** What to call it when it has no name of its own. */
  readonly name: string;
}

const LEGACY_SUFFIX = ".v4dw";
/** A legacy file is read whole. */
const LEGACY_BYTES_MAX: number = 256 * 1024 * 1024;
/** Chunks that are put into a world at once. */
const CHUNKS_PER_EDIT = 32_768;

/** Finds out what was dropped: a folder of a known format, or one file. `ORT_NOT_FOUND` when it is neither. */
export async function findDroppedWorld(files: readonly DroppedFile[]): Promise<DroppedWorld> {
  const [only] = files;
  if (only !== undefined && files.length === 1 && only.path.endsWith(LEGACY_SUFFIX)) return legacyWorld(only);
  const [disk, name] = diskOf(files);
  const detected = await detectFormat(disk);
  if (detected === undefined) {
    throw new OrthantError("ORT_NOT_FOUND", "no world of a format that is known here was dropped");
  }
  const { format, dialect } = detected;
  return {
    open: () => openWorld(disk, { readOnly: true }),
    origin: `${format}${dialect === undefined ? "" : `, ${dialect}`}, from your disk`,
    name,
  };
}

/** The files without the folder that all of them lie in, and the name of that folder. */
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
  return { open: () => worldOf(legacy), origin: "v4dw, from your disk", name: path };
}

async function worldOf({ base, blocks }: LegacyWorld): Promise<World> {
  const generator = floorOf(base);
  const world = await createWorld(new MemoryDisk(), generator === undefined ? {} : { generator });
  for (let at = 0; at < blocks.length; at += CHUNKS_PER_EDIT) {
    const chunks = blocks.slice(at, at + CHUNKS_PER_EDIT);
    await world.setChunks(chunks.map(({ place, chunk }) => [place, chunk] as const));
  }
  return world;
}

function floorOf(base: LegacyWorld["base"]): GeneratorRef | undefined {
  if (base.kind !== "flatFloor") return undefined;
  return generatorRef(flatGenerator, { ...FLAT_DEFAULTS, material: base.material }, 0n);
}
