import {
  DEFAULT_GENERATORS,
  DEFAULT_MATERIALS,
  encode,
  HYPERCUBE_CHUNKS,
  materialCatalogCodec,
  OrthantError,
  systemClock,
} from "@orthant/core";
import type { Disk } from "@orthant/disk";
import {
  createSave,
  DEFAULT_LIMITS,
  type GlobalState,
  NOTHING,
  plainDescription,
  worldDescriptionCodec,
} from "@orthant/save";
import { requireLabel } from "./checked-arguments.ts";
import { openForWriting } from "./open-for-writing.ts";
import { randomBits } from "./random-bits.ts";
import { newWorldId } from "./session-epoch.ts";
import type { World } from "./world.ts";
import { LOCK_FILE, type NewWorld, type WorldOptions } from "./world-options.ts";
import { settingOf } from "./world-setting.ts";

/** Creates a world on an empty disk and opens it. Throws `ORT_NOT_EMPTY` when the disk is not empty. */
export async function createWorld(
  disk: Disk,
  world: NewWorld = {},
  options: WorldOptions = {},
): Promise<World> {
  const lock = await disk.lock(LOCK_FILE);
  try {
    if (lock.isContested) throw contested();
    const { clock = systemClock, generators = DEFAULT_GENERATORS } = options;
    const global = globalOf(world, newWorldId(randomBits(options.random)));
    // Check before writing anything: a world that cannot be opened or stored must not block the next attempt.
    const setting = settingOf(global, options);
    encode(worldDescriptionCodec, global.description);
    const writer = await createSave(disk, {
      nowMs: clock.nowMs(),
      global,
      generators,
      lock,
      ...(world.limits && { limits: { ...DEFAULT_LIMITS, ...world.limits } }),
      ...(options.retention && { retention: options.retention }),
    });
    return await openForWriting(disk, { save: writer.currentSave(), writer, lock, setting }, options);
  } catch (error) {
    await lock.release();
    throw error;
  }
}

/** First generations have the same file names, so a suspended creator could remove them at any time. */
function contested(): OrthantError {
  const detail = "another process began to make a world here and may still be running: take another folder";
  return new OrthantError("ORT_LOCKED", detail, { path: LOCK_FILE });
}

function globalOf(world: NewWorld, worldId: bigint): GlobalState {
  const {
    name = "",
    shape = HYPERCUBE_CHUNKS,
    generator = NOTHING,
    catalog = DEFAULT_MATERIALS,
    spawn = [0, 0, 0, 0],
  } = world;
  requireLabel({ name, spawn });
  const { generatorId, parameters, seed, versionHash } = generator;
  return {
    base: { kind: "generated" },
    worldSeed: seed,
    generators: [{ generatorId, params: parameters, seed, versionHash }],
    nextEntityId: 1n,
    playerEntityHints: [],
    description: {
      ...plainDescription(shape),
      name,
      spawn,
      materials: encode(materialCatalogCodec, catalog),
      worldId,
    },
  };
}
