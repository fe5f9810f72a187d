import { GeneratorRegistry } from "@orthant/core";
import {
  ownOptions,
  requireChoice,
  requireFlag,
  requireFunction,
  requireTime,
  requireWhole,
  wrongArgument,
} from "@orthant/core/arguments";
import type { GenerationPool } from "@orthant/core/generate";
import type { Retention } from "@orthant/save";
import { requireMoment } from "./checked-arguments.ts";
import {
  DEFAULT_CADENCE,
  ENTITY_HYSTERESIS_CHUNKS_MAX,
  type EngineOptions,
  type WorldCadence,
} from "./world-options.ts";

/** The longest delay of a timer. */
const DELAY_MS_MAX = 2 ** 31 - 1;

const CADENCE_RULES = Object.fromEntries(
  Object.keys(DEFAULT_CADENCE).map((name) => [
    name,
    (at: string, value: unknown) => requireWhole(at, value, 1, DELAY_MS_MAX),
  ]),
) as unknown as Readonly<Record<keyof WorldCadence, (at: string, value: unknown) => number>>;

const RETENTION_RULES: Readonly<Record<keyof Retention, (at: string, value: unknown) => number>> = {
  newest: (at, value) => requireWhole(at, value, 1, RETENTION_MAX),
  hours: (at, value) => requireWhole(at, value, 0, RETENTION_MAX),
  days: (at, value) => requireWhole(at, value, 0, RETENTION_MAX),
};

/** The most generations that each field of a retention may keep. */
const RETENTION_MAX = 100_000;

/**
 * Returns the options of a world as an object of our own, which no getter of a caller can change. Throws `ORT_ARGUMENT`
 * for an option that does not exist or has a value that it cannot have.
 */
export function checkedStoreOptions(options: EngineOptions): EngineOptions {
  return ownOptions("the options", options, {
    readOnly: requireFlag,
    at(name, moment) {
      requireMoment(name, moment);
      return moment instanceof Date ? new Date(moment) : moment;
    },
    time: requireTime,
    generators: requireGenerators,
    allowUnknownGenerator: requireFlag,
    generation: requirePool,
    autosave: requireFlag,
    cadence: (name, cadence) => ownOptions(name, cadence as Partial<WorldCadence>, CADENCE_RULES),
    entityHysteresisChunks: (name, chunks) => requireUpTo(name, chunks, ENTITY_HYSTERESIS_CHUNKS_MAX),
    durability: (name, value) => requireChoice(name, value, ["snapshot", "journal"]),
    damagedJournal: (name, value) => requireChoice(name, value, ["refuse", "cut"]),
    retention(name, value) {
      const { newest, hours, days } = ownOptions(name, value as Partial<Retention>, RETENTION_RULES);
      if (newest !== undefined && hours !== undefined && days !== undefined) return { newest, hours, days };
      throw wrongArgument(
        name,
        value,
        "it is { newest, hours, days }, such as { newest: 2, hours: 24, days: 30 }",
      );
    },
    loadedBytesMax: (name, count) => requireUpTo(name, count, Number.POSITIVE_INFINITY),
    cacheLimits(name, value) {
      const bytes = (at: string, count: unknown): number => requireUpTo(at, count, Number.POSITIVE_INFINITY);
      const { softBytes, hardBytes } = ownOptions(
        name,
        value as Partial<Record<"softBytes" | "hardBytes", number>>,
        {
          softBytes: bytes,
          hardBytes: bytes,
        },
      );
      if (softBytes !== undefined && hardBytes !== undefined) return { softBytes, hardBytes };
      throw wrongArgument(name, value, "it is { softBytes, hardBytes }");
    },
    random: (name, value) => requireFunction(name, value) as () => bigint,
  });
}

function requireGenerators(name: string, value: unknown): GeneratorRegistry {
  if (value instanceof GeneratorRegistry) return value;
  throw wrongArgument(name, value, "it is a GeneratorRegistry: write new GeneratorRegistry([...])");
}

function requirePool(name: string, pool: unknown): GenerationPool {
  if (typeof pool === "object" && typeof (pool as Partial<GenerationPool> | null)?.open === "function")
    return pool as GenerationPool;
  throw wrongArgument(name, pool, "it is a pool: write generationPool() of @orthant/generation/node");
}

function requireUpTo(name: string, value: unknown, max: number): number {
  if (typeof value === "number" && value >= 0 && value <= max) return value;
  throw wrongArgument(
    name,
    value,
    max === Number.POSITIVE_INFINITY ? "it is a number from 0" : `it is a number from 0 to ${max}`,
  );
}
