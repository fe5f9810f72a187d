import {
  type BlockCatalog,
  DEFAULT_GENERATORS,
  type GenerationPool,
  I32_MAX,
  OrthantError,
  type RandomBits,
  systemRandomBits,
  systemTime,
  type TimeSource,
  WorldState,
  wrongArgument,
} from "@orthant/core";
import { catalogOf, type GlobalState, type OpenSaveOptions, type Save } from "@orthant/save";
import { generatorOf } from "@orthant/save/parts";
import { WorldContent } from "../content/world-content.ts";
import {
  DEFAULT_CADENCE,
  ENTITY_HYSTERESIS_CHUNKS,
  ENTITY_HYSTERESIS_CHUNKS_MAX,
  LOADED_CHUNKS_MAX,
  type StoreOptions,
  type WorldCadence,
} from "../world-options.ts";

/** What the options contribute to a world, besides its save. */
export interface WorldSettings {
  readonly state: WorldState;
  readonly time: TimeSource;
  readonly catalog: BlockCatalog;
  readonly autosave: boolean;
  readonly cadence: WorldCadence;
  /** Returns 64 random bits. */
  readonly random: () => bigint;
}

/** Combines the stored state with the options. Throws when the world's generator is missing. */
export function worldSettings(global: GlobalState, options: StoreOptions): WorldSettings {
  requireRanges(options);
  requirePool(options.generation);
  const state = WorldState.open({
    generators: options.generators ?? DEFAULT_GENERATORS,
    generator: generatorOf(global),
    shape: global.description.chunkShape,
    allowUnknownGenerator: options.allowUnknownGenerator === true,
    pool: options.generation,
    ...(options.cacheLimits && { cacheLimits: options.cacheLimits }),
  });
  return {
    state,
    time: options.time ?? systemTime,
    catalog: catalogOf(global.description),
    autosave: options.autosave ?? true,
    cadence: cadenceOf(options),
    random: randomBits(options.random),
  };
}

/** Returns the contents of a newly opened world. */
export function contentOf(
  save: Save,
  state: WorldState,
  { loadedChunksMax = LOADED_CHUNKS_MAX, entityHysteresisChunks = ENTITY_HYSTERESIS_CHUNKS }: StoreOptions,
): WorldContent {
  const limits = { loadedChunksMax, entityHysteresisChunks };
  return new WorldContent(save, state, limits);
}

/** Throws `ORT_ARGUMENT` for options out of range. */
function requireRanges({
  loadedChunksMax = LOADED_CHUNKS_MAX,
  entityHysteresisChunks = ENTITY_HYSTERESIS_CHUNKS,
}: StoreOptions): void {
  if (typeof loadedChunksMax !== "number" || !(loadedChunksMax >= 0)) {
    throw wrongArgument("loadedChunksMax", loadedChunksMax, "it is a number from 0");
  }
  const isInRange = entityHysteresisChunks >= 0 && entityHysteresisChunks <= ENTITY_HYSTERESIS_CHUNKS_MAX;
  if (typeof entityHysteresisChunks === "number" && isInRange) return;
  throw wrongArgument("entityHysteresisChunks", entityHysteresisChunks, "it is a number from 0 to 1");
}

function requirePool(pool: unknown): void {
  if (pool === undefined || typeof (pool as Partial<GenerationPool> | null)?.open === "function") return;
  throw wrongArgument("generation", pool, "it is a pool: write generationPool() of @orthant/generation/node");
}

function cadenceOf({ cadence = {} }: StoreOptions): WorldCadence {
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

/** Returns the generators from the options, if given. */
export function saveOptionsOf({ generators }: StoreOptions): OpenSaveOptions {
  return generators === undefined ? {} : { generators };
}

/** Returns a source of 64 random bits: `given`, truncated to 64 bits, or else the system's. */
export function randomBits(given: RandomBits | undefined): RandomBits {
  return given === undefined ? systemRandomBits : () => BigInt.asUintN(64, given());
}
