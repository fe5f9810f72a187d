import { OrthantError } from "@orthant/core";
import {
  checkedOptions,
  requireId,
  requireInteger,
  requirePrintableName,
  requireText,
  whole,
} from "@orthant/core/arguments";
import type { GeneratorRef } from "@orthant/core/generate";
import type { Disk, DiskLock } from "@orthant/disk";
import { requireDisk } from "@orthant/disk/files";
import { lockFile, replaceByCopy } from "./format/files.ts";
import { CHUNK_EDGE, CHUNK_EDGE_MAX, PIXEL_TILE_EDGE } from "./format/limits.ts";
import { checkedLayers, DEFAULT_LAYERS, type PixelGenerator, type PixelLayer } from "./format/pixels.ts";
import { type PixelFacts, requirePixelDialect } from "./format/save.ts";
import {
  type PixelWorldOptions,
  type PixelWorldSettings,
  pixelWorldSettings,
  requireConstants,
} from "./live/options.ts";
import { PixelLog } from "./live/pixel-log.ts";
import { PixelWorld } from "./pixel-world.ts";
import { PixelSaveWriter } from "./version2/writer.ts";

/** Properties of a new world. All have defaults. */
export interface NewPixelWorld {
  readonly worldSeed?: bigint;
  /** Pixels along a chunk edge; 512 by default. */
  readonly chunkEdge?: number;
  /** Pixels along an edge of a simulation tile; by default 32, or the chunk edge if that is smaller. */
  readonly tileEdge?: number;
  /** Layers of every pixel; material, color, damage and flags by default. */
  readonly layers?: readonly PixelLayer[];
}

const NEW_WORLD_RULES = {
  worldSeed: requireId,
  chunkEdge: whole(1, CHUNK_EDGE_MAX),
  tileEdge: whole(1, CHUNK_EDGE_MAX),
  layers(name: string, value: unknown) {
    const layers = checkedLayers(name, value);
    for (const [index, layer] of layers.entries()) requirePrintableName(`${name}[${index}].name`, layer.name);
    return layers;
  },
};

/** Creates a world in a new file and opens it. Throws `ORT_EXISTS` if the file exists. */
export async function createPixelWorld(
  disk: Disk,
  path: string,
  world: NewPixelWorld = {},
  options: PixelWorldOptions = {},
): Promise<PixelWorld> {
  requireDisk("disk", disk);
  requireText("path", path);
  const checked = checkedOptions("a new world", world, NEW_WORLD_RULES);
  const { worldSeed = 0n, chunkEdge = CHUNK_EDGE, layers = DEFAULT_LAYERS } = checked;
  const settings = pixelWorldSettings(options);
  const nowMs = settings.time.nowMs();
  requireInteger(nowMs, 0, Number.MAX_SAFE_INTEGER);
  const facts: PixelFacts = {
    worldSeed,
    createdMs: nowMs,
    chunkEdge,
    tileEdge: checked.tileEdge ?? Math.min(PIXEL_TILE_EDGE, chunkEdge),
    layers,
    generator: settings.generator?.ref,
  };
  requireConstants(facts, settings.expect, path);
  return withLock(disk, path, async (lock) => {
    const writer = await PixelSaveWriter.create(disk, path, facts, { lock });
    try {
      await writer.finish(nowMs);
    } finally {
      await writer.close();
    }
    return openLocked(disk, path, lock, settings);
  });
}

/**
 * Opens a version 2 file for writing and holds a lock beside it. Throws `ORT_VERSION` for a version 1 file
 * (read it with `openPixelSave` or convert it with `convertPixelToPixel`) and for a file whose constants
 * differ from those that the game expects; `ORT_GENERATOR_VERSION` if the generator is not the one that the
 * world was created with; `ORT_LOCKED` while another writer holds the lock.
 */
export async function openPixelWorld(
  disk: Disk,
  path: string,
  options: PixelWorldOptions = {},
): Promise<PixelWorld> {
  requireDisk("disk", disk);
  requireText("path", path);
  const settings = pixelWorldSettings(options);
  await requireVersion2(disk, path);
  return withLock(disk, path, (lock) => openLocked(disk, path, lock, settings));
}

/** Takes the lock, and releases it if `open` fails. */
async function withLock(
  disk: Disk,
  path: string,
  open: (lock: DiskLock) => Promise<PixelWorld>,
): Promise<PixelWorld> {
  const lock = await lockFile(disk, path);
  try {
    return await open(lock);
  } catch (error) {
    await lock.release();
    throw error;
  }
}

async function openLocked(
  disk: Disk,
  path: string,
  lock: DiskLock,
  settings: PixelWorldSettings,
): Promise<PixelWorld> {
  if (lock.isContested) await replaceByCopy(disk, path, lock);
  const log = await PixelLog.open(disk, path, lock, settings.onDamage);
  try {
    requireConstants(log.facts, settings.expect, path);
    requireGenerator(log.facts.generator, settings.generator);
    await lock.settle();
    return new PixelWorld({ log, lock, settings });
  } catch (error) {
    await log.close();
    throw error;
  }
}

async function requireVersion2(disk: Disk, path: string): Promise<void> {
  const file = await disk.open(path, "read");
  try {
    if ((await requirePixelDialect(file, path)) === "version2") return;
    throw new OrthantError(
      "ORT_VERSION",
      "a pixel world of version 1 is read-only; convertPixelToPixel converts it to a new file",
      { path },
    );
  } finally {
    await file.close();
  }
}

/** Chunks store changes relative to one generator; any other would silently produce wrong pixels. */
function requireGenerator(stored: GeneratorRef | undefined, given: PixelGenerator | undefined): void {
  if (given === undefined || stored?.equals(given.ref)) return;
  const name =
    stored === undefined
      ? "no generator"
      : `"${stored.generatorId}", version ${stored.versionHash}, seed ${stored.seed}`;
  const detail = `the world was made with ${name}; "${given.ref.generatorId}" would make other chunks`;
  throw new OrthantError("ORT_GENERATOR_VERSION", detail);
}
