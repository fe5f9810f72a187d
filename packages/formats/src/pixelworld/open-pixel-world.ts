import {
  type Clock,
  type GeneratorRef,
  OrthantError,
  requireInteger,
  systemClock,
  systemRandomBits,
} from "@orthant/core";
import type { Disk, DiskLock } from "@orthant/disk";
import { lockOf } from "../files/lock-names.ts";
import { requirePixelDialect } from "./dialect.ts";
import { CHUNK_EDGE, COMPACTION_BYTES_MIN, TILE_EDGE } from "./limits.ts";
import { PixelLog } from "./live/pixel-log.ts";
import { PixelWorld } from "./pixel-world.ts";
import { DEFAULT_LAYERS, type PixelLayer } from "./pixels/pixel-layers.ts";
import type { PixelGenerator } from "./pixels/stored-chunk.ts";
import type { PixelFacts } from "./save.ts";
import { PixelSaveWriter } from "./writer.ts";

/** How a world is opened. */
export interface PixelWorldOptions {
  /** What makes the chunks that nobody touched; the one that the world was made with, exactly. */
  readonly generator?: PixelGenerator;
  /** Where the time comes from; the machine when it is left out. */
  readonly clock?: Clock;
  /** Saves by itself, 60 seconds after the first change since the last save. On unless it is turned off. */
  readonly autosave?: boolean;
  /** Files below this are never written anew, however much of them is dead; 262,144 unless it is given. */
  readonly compactFromBytes?: number;
  /** Gives 64 random bits, for ids of bodies. The machine's when it is left out. */
  readonly random?: () => bigint;
}

/** What a new world is. Everything has a default. */
export interface NewPixelWorld {
  readonly worldSeed?: bigint;
  /** Pixels along the edge of a chunk; 512 unless it is given. */
  readonly chunkEdge?: number;
  /** Pixels along the edge of a tile of the simulation; 32, or the edge of a chunk where that is less. */
  readonly tileEdge?: number;
  /** What every pixel has; material, color, damage and flags unless it is given. */
  readonly layers?: readonly PixelLayer[];
}

/** Makes a world in a new file and opens it. `ORT_EXISTS` when there is a file of that name. */
export async function createPixelWorld(
  disk: Disk,
  path: string,
  world: NewPixelWorld = {},
  options: PixelWorldOptions = {},
): Promise<PixelWorld> {
  const { worldSeed = 0n, chunkEdge = CHUNK_EDGE, layers = DEFAULT_LAYERS } = world;
  const nowMs = (options.clock ?? systemClock).nowMs();
  requireInteger(nowMs, 0, Number.MAX_SAFE_INTEGER);
  const facts: PixelFacts = {
    worldSeed,
    createdMs: nowMs,
    chunkEdge,
    tileEdge: world.tileEdge ?? Math.min(TILE_EDGE, chunkEdge),
    layers,
    generator: options.generator?.ref,
  };
  return withLock(disk, path, async (lock) => {
    const writer = await PixelSaveWriter.create(disk, path, facts);
    try {
      await writer.finish(nowMs);
    } finally {
      await writer.close();
    }
    return openLocked(disk, path, lock, options);
  });
}

/**
 * Opens a file of version 2 for writing, with a lock beside it. `ORT_VERSION` for one of version 1, which is read by
 * `openPixelSave` and made a version 2 by `upgradePixelSave`; `ORT_GENERATOR_VERSION` for another generator than the
 * one that it was made with; `ORT_LOCKED` while somebody else has it.
 */
export async function openPixelWorld(
  disk: Disk,
  path: string,
  options: PixelWorldOptions = {},
): Promise<PixelWorld> {
  await requireVersion2(disk, path);
  return withLock(disk, path, (lock) => openLocked(disk, path, lock, options));
}

/** Takes the lock, which is given back when the world does not come to be. */
async function withLock(
  disk: Disk,
  path: string,
  open: (lock: DiskLock) => Promise<PixelWorld>,
): Promise<PixelWorld> {
  const lock = await disk.lock(lockOf(path));
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
  options: PixelWorldOptions,
): Promise<PixelWorld> {
  const {
    generator,
    clock = systemClock,
    autosave = true,
    compactFromBytes = COMPACTION_BYTES_MIN,
  } = options;
  const log = await PixelLog.open(disk, path);
  try {
    requireGenerator(log.facts.generator, generator);
    const sessionBits = BigInt.asUintN(32, (options.random ?? systemRandomBits)());
    return new PixelWorld({ log, lock, clock, generator, autosave, compactFromBytes, sessionBits });
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
      "a pixel world of version 1 is only read; upgradePixelSave makes a new file of it",
      { path },
    );
  } finally {
    await file.close();
  }
}

/** Changes were stored against one generator; over any other they would be wrong, silently. */
function requireGenerator(stored: GeneratorRef | undefined, given: PixelGenerator | undefined): void {
  if (given === undefined || stored?.equals(given.ref)) return;
  const name =
    stored === undefined
      ? "no generator"
      : `"${stored.generatorId}", version ${stored.versionHash}, seed ${stored.seed}`;
  const detail = `the world was made with ${name}; "${given.ref.generatorId}" would make other chunks`;
  throw new OrthantError("ORT_GENERATOR_VERSION", detail);
}
