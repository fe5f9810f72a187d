import { systemTime, type TimeSource } from "@orthant/core";
import { wrongArgument } from "@orthant/core/arguments";
import { DEFAULT_GENERATORS } from "@orthant/core/generate";
import { type RandomBits, systemRandomBits } from "@orthant/core/lattice";
import { WorldState } from "@orthant/core/tree";
import { catalogOf, type GlobalState, type OpenSaveOptions, type Save } from "@orthant/save";
import { CLIENT_EDITS_MAX, generatorMapOf } from "@orthant/save/content";
import { WorldContent } from "../content/world-content.ts";
import {
  DEFAULT_CADENCE,
  ENTITY_HYSTERESIS_CHUNKS,
  type EngineOptions,
  LOADED_BYTES_MAX,
  type WorldCadence,
} from "../options/world-options.ts";

/** What the options contribute to a world, besides its save. */
export interface WorldSettings {
  readonly state: WorldState;
  readonly time: TimeSource;
  readonly autosave: boolean;
  readonly cadence: WorldCadence;
  /** Returns 64 random bits. */
  readonly random: () => bigint;
}

/** Combines the stored state with the options. Throws when the world's generator is missing. */
export function worldSettings(global: GlobalState, options: EngineOptions): WorldSettings {
  // Throws for a damaged catalog now, before anything is written.
  catalogOf(global.description);
  const state = WorldState.open({
    generators: options.generators ?? DEFAULT_GENERATORS,
    generator: generatorMapOf(global),
    shape: global.description.chunkShape,
    allowUnknownGenerator: options.allowUnknownGenerator === true,
    pool: options.generation,
    ...(options.cacheLimits && { cacheLimits: options.cacheLimits }),
  });
  return {
    state,
    time: options.time ?? systemTime,
    autosave: options.autosave ?? true,
    cadence: { ...DEFAULT_CADENCE, ...options.cadence },
    random: randomBits(options.random),
  };
}

/** Returns the contents of a newly opened world. */
export function contentOf(
  save: Save,
  state: WorldState,
  { loadedBytesMax = LOADED_BYTES_MAX, entityHysteresisChunks = ENTITY_HYSTERESIS_CHUNKS }: EngineOptions,
  clientsMax: number = CLIENT_EDITS_MAX,
): WorldContent {
  const limits = { loadedBytesMax, entityHysteresisChunks, clientsMax };
  return new WorldContent(save, state, limits);
}

/** Returns the generators from the options, if given. */
export function saveOptionsOf({ generators }: EngineOptions): OpenSaveOptions {
  return generators === undefined ? {} : { generators };
}

/** Returns a source of 64 random bits: `given`, truncated to 64 bits, or else the system's. */
export function randomBits(given: RandomBits | undefined): RandomBits {
  if (given === undefined) return systemRandomBits;
  return () => {
    const bits: unknown = given();
    if (typeof bits === "bigint") return BigInt.asUintN(64, bits);
    throw wrongArgument("what random returned", bits, "it is a bigint of 64 random bits");
  };
}
