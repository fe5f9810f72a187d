import {
  type Clock,
  DEFAULT_GENERATORS,
  I32_MAX,
  type MaterialCatalog,
  OrthantError,
  type RandomBits,
  systemClock,
  systemRandomBits,
  WorldField,
  wrongArgument,
} from "@orthant/core";
import type { Disk, DiskLock } from "@orthant/disk";
import {
  catalogOf,
  type GlobalState,
  generatorOf,
  type OpenSaveOptions,
  openSave,
  removeTemporaries,
  resumeSave,
  type Save,
  type SaveWriter,
} from "@orthant/save";
import { WorldContent } from "../content/world-content.ts";
import type { WorldLog } from "../journal/world-log.ts";
import {
  DEFAULT_CADENCE,
  ENTITY_HYSTERESIS_CHUNKS,
  ENTITY_HYSTERESIS_CHUNKS_MAX,
  LOADED_CHUNKS_MAX,
  LOCK_FILE,
  type WorldCadence,
  type WorldOptions,
} from "../world-options.ts";

/** What only the writer of a world has. */
export interface Writing {
  readonly writer: SaveWriter;
  readonly lock: DiskLock;
  /** `undefined` in a world whose changes become durable with the next save. */
  readonly journal: WorldLog | undefined;
}

/** The parts of a world, as `createWorld` and `openWorld` assemble them. */
export interface WorldParts extends Omit<WorldSetting, "field"> {
  readonly disk: Disk;
  readonly content: WorldContent;
  /** The epoch in which clocks are issued. Default: the next one. */
  readonly epoch?: number;
  /** `undefined` for a read-only world. */
  readonly writing: Writing | undefined;
}

/** Releases everything that a world holds, the lock last, even when a step fails. Throws the last failure. */
export async function releaseParts(
  save: Save,
  writing: Pick<Writing, "writer" | "lock"> | undefined,
): Promise<void> {
  try {
    await save.close();
  } finally {
    try {
      await writing?.writer.close();
    } finally {
      await writing?.lock.release();
    }
  }
}

/** What the options contribute to a world, besides its save. */
export interface WorldSetting {
  readonly field: WorldField;
  readonly clock: Clock;
  readonly catalog: MaterialCatalog;
  readonly autosave: boolean;
  readonly cadence: WorldCadence;
  /** Returns 64 random bits. */
  readonly random: () => bigint;
}

/** Combines the stored state with the options. Throws when the world's generator is missing. */
export function settingOf(global: GlobalState, options: WorldOptions): WorldSetting {
  requireRanges(options);
  const field = WorldField.open({
    generators: options.generators ?? DEFAULT_GENERATORS,
    generator: generatorOf(global),
    shape: global.description.chunkShape,
    ...(options.cacheLimits && { cacheLimits: options.cacheLimits }),
  });
  return {
    field,
    clock: options.clock ?? systemClock,
    catalog: catalogOf(global.description),
    autosave: options.autosave ?? true,
    cadence: cadenceOf(options),
    random: randomBits(options.random),
  };
}

/** Returns the contents of a newly opened world. */
export function contentOf(
  save: Save,
  field: WorldField,
  { loadedChunksMax = LOADED_CHUNKS_MAX, entityHysteresisChunks = ENTITY_HYSTERESIS_CHUNKS }: WorldOptions,
): WorldContent {
  const limits = { loadedChunksMax, entityHysteresisChunks };
  return new WorldContent(save, withGlobalBlocks(field, save), limits);
}

/** Throws `ORT_ARGUMENT` for options out of range. */
function requireRanges({
  loadedChunksMax = LOADED_CHUNKS_MAX,
  entityHysteresisChunks = ENTITY_HYSTERESIS_CHUNKS,
}: WorldOptions): void {
  if (typeof loadedChunksMax !== "number" || !(loadedChunksMax >= 0)) {
    throw wrongArgument("loadedChunksMax", loadedChunksMax, "it is a number from 0");
  }
  const isInRange = entityHysteresisChunks >= 0 && entityHysteresisChunks <= ENTITY_HYSTERESIS_CHUNKS_MAX;
  if (typeof entityHysteresisChunks === "number" && isInRange) return;
  throw wrongArgument("entityHysteresisChunks", entityHysteresisChunks, "it is a number from 0 to 1");
}

function cadenceOf({ cadence = {} }: WorldOptions): WorldCadence {
  const entries = Object.entries({ ...DEFAULT_CADENCE, ...withoutUndefined(cadence) });
  for (const [name, delayMs] of entries) {
    if (!(name in DEFAULT_CADENCE)) {
      throw new OrthantError(
        "ORT_ARGUMENT",
        `the cadence has no ${name}: it has worldMs, playersMs and entitiesMs`,
      );
    }
    if (Number.isInteger(delayMs) && delayMs >= 1 && delayMs <= I32_MAX) continue;
    throw wrongArgument(`cadence.${name}`, delayMs, `it is a whole number from 1 to ${I32_MAX}`);
  }
  return Object.fromEntries(entries) as unknown as WorldCadence;
}

function withoutUndefined<Options extends object>(options: Options): Options {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as Options;
}

/** Some flat saves keep chunks outside their leaves, in the global file. */
function withGlobalBlocks(field: WorldField, { flat }: Save): WorldField {
  const blocks = flat?.globalBlocks ?? [];
  return field.withOverrides(
    blocks.reduce((tree, { position, chunk }) => tree.set(position, chunk), field.overrides),
  );
}

/** Returns the generators from the options, if given. */
export function generatorsOf({ generators }: WorldOptions): OpenSaveOptions {
  return generators === undefined ? {} : { generators };
}

/** A save and everything needed to write to it. */
export interface WritableSave {
  readonly save: Save;
  readonly writer: SaveWriter;
  readonly lock: DiskLock;
  readonly setting: WorldSetting;
}

/** Locks a world and opens its save, with `newPack` for a new pack. Releases everything on failure. */
export async function openWritable(
  disk: Disk,
  options: WorldOptions,
  { newPack = false }: { readonly newPack?: boolean } = {},
): Promise<WritableSave> {
  const lock = await disk.lock(LOCK_FILE);
  let save: Save | undefined;
  try {
    if (lock.isContested) await removeTemporaries(disk);
    save = await openSave(disk, generatorsOf(options));
    // Before opening any file for writing: a world whose generator is unknown leaves nothing behind.
    const setting = settingOf(save.global, options);
    const { retention } = options;
    const writer = await resumeSave(disk, save, {
      ...generatorsOf(options),
      ...(retention && { retention }),
      lock,
      // The earlier holder of a contested lock may still append to its pack.
      newPack: newPack || lock.isContested,
    });
    return { save, writer, lock, setting };
  } catch (error) {
    await save?.close().catch(() => undefined);
    await lock.release();
    throw error;
  }
}

/** Returns a source of 64 random bits: `given`, truncated to 64 bits, or else the system's. */
export function randomBits(given: RandomBits | undefined): RandomBits {
  return given === undefined ? systemRandomBits : () => BigInt.asUintN(64, given());
}
